// What all pages share: sections start when they come near the window, and arrays are unpacked.
const report = (() => {
  "use strict";
  const starts = new Map();
  const started = new WeakSet();

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

  async function start(root) {
    const begin = starts.get(root.dataset.section);
    if (!begin || started.has(root)) return;
    started.add(root);
    await begin(root, data(root));
    root.dataset.ready = "";
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
    window.addEventListener("beforeprint", () => sections.forEach(start));
  }

  document.documentElement.classList.add("scripted");
  document.addEventListener("DOMContentLoaded", watch);
  return { on, array, start };
})();
