// Tables of findings and of functions: sorted by their headings, filtered by the boxes above them.
for (const kind of ["findings", "functions"]) report.on(kind, (root) => {
  "use strict";
  const table = root.querySelector("table.sortable");
  const rows = [...table.tBodies[0].rows];
  const filters = [...root.querySelectorAll("select[data-filter]")];
  const shown = root.querySelector(".shown");

  function filter() {
    for (const row of rows) {
      row.hidden = filters.some((each) => each.value && row.dataset[each.dataset.filter] !== each.value);
    }
    const count = rows.filter((row) => !row.hidden).length;
    shown.textContent = `${count} of ${rows.length} ${kind}`;
  }

  report.sortable(table);
  filters.forEach((each) => each.addEventListener("change", filter));
  filter();
});
