// Tables whose headings are buttons that sort them.
report.on("answer", (root) => {
  "use strict";
  root.querySelectorAll("table.sortable").forEach(report.sortable);
});
