// What all pages share: sections start near the window, or once there is time; arrays are unpacked.
const report = (() => {
  "use strict";
  const starts = new Map();
  const started = new WeakMap();

  function data(root) {
    const island = root.querySelector(":scope > script[type='application/json']");
    return island ? JSON.parse(island.textContent) : null;
  }

  async function array(packed) {
    const kinds = {
      float64: Float64Array, float32: Float32Array,
      int32: Int32Array, uint16: Uint16Array, uint8: Uint8Array,
    };
    const bytes = Uint8Array.from(atob(packed.packed), (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer());
    const width = kinds[packed.type].BYTES_PER_ELEMENT;
    const count = planes.length / width;
    const joined = new Uint8Array(planes.length);
    for (let plane = 0; plane < width; plane += 1) {
      for (let at = 0; at < count; at += 1) joined[at * width + plane] = planes[plane * count + at];
    }
    return new kinds[packed.type](joined.buffer);
  }

  // The number of a cell, or its text; nothing where it is empty.
  function sortValue(row, column) {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    if (text === "") return null;
    const number = Number(text);
    return Number.isNaN(number) ? text : number;
  }

  function compare(one, other, sign) {
    if (one === null || other === null) return (one === null) - (other === null);
    if (typeof one === typeof other && typeof one === "number") return sign * (one - other);
    return sign * String(one).localeCompare(String(other), "en", { numeric: true });
  }

  function sort(table, column, sign) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [sortValue(row, column), row]);
    rows.sort(([one], [other]) => compare(one, other, sign));
    body.append(...rows.map(([, row]) => row));
  }

  // Turn the headings of a table into buttons that sort it; empty cells stay last.
  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        sort(table, column, up ? 1 : -1);
      });
    });
  }

  async function run(begin, root) {
    await begin(root, data(root));
    root.dataset.ready = "";
  }

  // Start a section, unless it has been; the promise is kept once it is ready.
  function start(root) {
    const begin = starts.get(root.dataset.section);
    if (!begin) return Promise.resolve();
    if (!started.has(root)) started.set(root, run(begin, root));
    return started.get(root);
  }

  // One section after the other, each when the page has nothing else to do.
  async function startWhenIdle(sections) {
    const idle = (go) => (window.requestIdleCallback ? requestIdleCallback(go) : setTimeout(go, 300));
    for (const each of sections) {
      await new Promise(idle);
      await start(each);
    }
  }

  function on(kind, begin) {
    starts.set(kind, begin);
  }

  function watch() {
    const sections = [...document.querySelectorAll("[data-section]")];
    const seen = new IntersectionObserver((entries) => {
      for (const each of entries) if (each.isIntersecting) start(each.target);
    }, { rootMargin: "800px" });
    sections.forEach((each) => seen.observe(each));
    // A print shows the still pictures of what is not ready by then.
    window.addEventListener("beforeprint", () => {
      sections.filter((each) => !each.querySelector(".stills")).forEach(start);
    });
    // Of many parts all pictures at once would take much memory.
    const parts = document.querySelectorAll("article.part").length;
    if (parts === 1) window.addEventListener("load", () => startWhenIdle(sections));
  }

  document.documentElement.classList.add("scripted");
  document.addEventListener("DOMContentLoaded", watch);
  return { on, array, sortable, start };
})();
