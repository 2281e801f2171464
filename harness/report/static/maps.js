// Maps of values over sizes and places: a path for each colour, sliders for the cell that is read.
(() => {
  "use strict";
  const NAMESPACE = "http://www.w3.org/2000/svg";
  const TOP = 22;
  const RIGHT = 12;
  const BELOW = 86;
  const TALLEST = 480;

  function svg(name, attributes, text) {
    const made = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function option(value, words) {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = words;
    return made;
  }

  function significant(value, digits) {
    if (Number.isNaN(value)) return "";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    return String(Number(value.toPrecision(digits))).replaceAll("-", "−");
  }

  const percent = (value, digits = 3) =>
    Number.isNaN(value) ? "" : `${significant(100 * value, digits)} %`;
  const anchor = (index, count) => (index === 0 ? "start" : index === count - 1 ? "end" : "middle");

  // What is drawn -------------------------------------------------------------------------------

  // Where the rows of a frame begin among its places.
  function starts(counts) {
    const found = [0];
    for (const count of counts) found.push(found.at(-1) + count);
    return found;
  }

  // The edges of cells that reach half-way to their neighbours, in shares of the axis.
  function edges(along, [low, high]) {
    const last = along.length - 1;
    if (last < 1) return [0, 1];
    const between = [];
    for (let at = 0; at < last; at += 1) between.push((along[at] + along[at + 1]) / 2);
    const first = Math.max(low, 2 * along[0] - between[0]);
    const end = Math.min(high, 2 * along[last] - between[last - 1]);
    return [first, ...between, end].map((each) => (each - low) / (high - low));
  }

  function colour(value, middle, step, steps) {
    if (Number.isNaN(value)) return null;
    return Math.max(-steps, Math.min(steps, Math.floor((value - middle) / step + 0.5)));
  }

  function look(level, steps) {
    if (level === null) return { class: "none" };
    const kind = level > 0 ? "high" : level < 0 ? "low" : "middle";
    return { class: kind, "fill-opacity": Math.abs(level) / steps || 1 };
  }

  async function begin(root, data) {
    const find = (name) => root.querySelector(`[data-${name}]`);
    const { steps } = data;
    const frames = data.frames.map((frame) => ({ ...frame, first: starts(frame.counts) }));
    const state = {
      asked: null, map: null, frame: null, method: 0, size: 0, place: 0, layout: null,
    };
    const unpacked = new Map();

    // The arrays of a map and of its frame, unpacked when they are first asked for.
    async function arrays(index) {
      if (unpacked.has(index)) return unpacked.get(index);
      const map = { ...data.maps[index], index };
      const frame = frames[map.frame];
      for (const name of ["values", "errors", "base", "least", "largest", "at", "above"]) {
        if (map[name]) map[name] = await report.array(map[name]);
      }
      for (const name of ["places", "along"]) {
        if (!(frame[name] instanceof Float64Array)) frame[name] = await report.array(frame[name]);
      }
      unpacked.set(index, map);
      return map;
    }

    const isAlpha = () => state.map.quantity === "alpha";
    const cellsOfMethod = () => state.frame.places.length;
    const stored = (cell) => state.map.values[state.method * cellsOfMethod() + cell];

    // Actual alpha, or how many per cent longer than the reference; NaN where that is not known.
    function value(cell) {
      const mine = stored(cell);
      if (isAlpha()) return mine;
      const base = state.map.base[cell];
      const known = Number.isFinite(mine) && Number.isFinite(base) && base > 0;
      return known ? (100 * (mine - base)) / base : NaN;
    }

    const valueText = (each) =>
      isAlpha() ? percent(1 - each, 4) : Number.isNaN(each) ? "" : `${significant(each, 3)} %`;

    // The drawing -------------------------------------------------------------------------------

    function draw() {
      const { map, frame } = state;
      const width = Math.max(260, Math.min(900, Math.round(find("drawing").clientWidth) || 640));
      const left = Math.max(34, 12 + 7 * Math.max(...frame.sizes.map((each) => each.length)));
      const rows = frame.sizes.length;
      const height = Math.min(26, TALLEST / rows);
      const inner = width - left - RIGHT;
      const bottom = TOP + rows * height;
      state.layout = { width, left, inner, height, rows, bottom, bounds: [] };
      const image = svg("svg", {
        viewBox: `0 0 ${width} ${bottom + BELOW}`, width, role: "img", class: "live",
        "aria-label": map.sentences[state.method],
      });
      image.append(svg("rect", {
        class: "ground", x: left, y: TOP, width: inner, height: rows * height,
      }));
      for (const [level, path] of paths()) {
        image.append(svg("path", { ...look(level, steps), d: path.join("") }));
      }
      drawAxes(image);
      drawBar(image);
      image.append(svg("rect", { class: "mark", width: 0, height: 0 }));
      find("drawing").replaceChildren(image);
      showMark();
    }

    function paths() {
      const { map, frame, layout } = state;
      const found = new Map();
      const step = map.scales[state.method];
      for (let row = 0; row < layout.rows; row += 1) {
        const from = frame.first[row];
        const along = frame.along.subarray(from, frame.first[row + 1]);
        const bounds = edges(along, frame.span).map((each) => layout.left + layout.inner * each);
        layout.bounds.push(bounds);
        const top = TOP + (layout.rows - 1 - row) * layout.height;
        const levels = Array.from(along, (_, at) => (
          colour(value(from + at), map.middle, step, steps)));
        for (let start = 0, end = 0; start < levels.length; start = end) {
          while (end < levels.length && levels[end] === levels[start]) end += 1;
          const wide = (bounds[end] - bounds[start]).toFixed(2);
          const corner = `${bounds[start].toFixed(2)} ${top.toFixed(2)}`;
          const piece = `M${corner}h${wide}v${layout.height.toFixed(2)}h${-wide}z`;
          if (!found.has(levels[start])) found.set(levels[start], []);
          found.get(levels[start]).push(piece);
        }
      }
      return found;
    }

    function drawAxes(image) {
      const { frame, layout } = state;
      const { left, inner, bottom, height } = layout;
      const put = (x, y, where, words) => {
        image.append(svg("text", { x, y, "text-anchor": where }, words));
      };
      put(left - 6, 14, "end", frame.sizeName);
      const every = Math.ceil(13 / height);
      frame.sizes.forEach((words, row) => {
        const y = TOP + (layout.rows - 0.5 - row) * height + 4;
        if (row % every === 0) put(left - 6, y, "end", words);
      });
      const [low, high] = frame.span;
      for (let at = 0; at < 5; at += 1) {
        const words = significant(low + ((high - low) * at) / 4, 4);
        put(left + (inner * at) / 4, bottom + 15, anchor(at, 5), words);
      }
      put(left + inner / 2, bottom + 30, "middle", frame.axis);
    }

    function drawBar(image) {
      const { map, layout } = state;
      const { left, inner, bottom } = layout;
      const wide = inner / (2 * steps + 1);
      // Coverage falls as alpha rises.
      const order = isAlpha() ? -1 : 1;
      for (let level = -steps; level <= steps; level += 1) {
        const place = {
          x: left + wide * (steps + order * level), y: bottom + 40, width: wide, height: 10,
        };
        image.append(svg("rect", { ...place, ...look(level, steps) }));
      }
      const step = map.scales[state.method];
      [-steps, -steps / 2, 0, steps / 2, steps].forEach((level, at) => {
        const shown = map.middle + order * level * step;
        const highest = at === 4 && (!isAlpha() || shown > 1e-12);
        const sign = at === 0 ? "≤ " : highest ? "≥ " : "";
        const words = sign + valueText(Math.abs(shown) < 1e-12 ? 0 : shown);
        const x = left + wide / 2 + ((inner - wide) * at) / 4;
        image.append(svg("text", { x, y: bottom + 64, "text-anchor": anchor(at, 5) }, words));
      });
      const middle = { x: left + inner / 2, y: bottom + 80, "text-anchor": "middle" };
      image.append(svg("text", middle, map.barTitle));
    }

    // The cell that is read ---------------------------------------------------------------------

    const cell = () => state.frame.first[state.size] + state.place;

    function showMark() {
      const { layout } = state;
      const bounds = layout.bounds[state.size];
      const mark = root.querySelector(".mark");
      const left = bounds[state.place];
      mark.setAttribute("x", left - 1);
      mark.setAttribute("y", TOP + (layout.rows - 1 - state.size) * layout.height);
      mark.setAttribute("width", Math.max(2, bounds[state.place + 1] - left + 2));
      mark.setAttribute("height", layout.height);
    }

    function placeText() {
      const { frame } = state;
      const place = significant(frame.places[cell()], 6);
      if (frame.given !== "outcome") return `${frame.symbol} = ${place}`;
      return `${frame.symbol} = ${place} (${frame.axis} = ${significant(frame.along[cell()], 4)})`;
    }

    function showCell() {
      const { map, frame } = state;
      const known = value(cell());
      const where = `${frame.sizeTexts[state.size]}, ${placeText()}: `;
      const exact = document.createElement("data");
      exact.value = String(isAlpha() ? 1 - stored(cell()) : stored(cell()));
      if (isAlpha()) {
        exact.textContent = Number.isNaN(known) ? "no value" : `coverage ${percent(1 - known, 6)}`;
      } else {
        exact.textContent = Number.isNaN(stored(cell()))
          ? "no length" : `length ${significant(stored(cell()), 6)}`;
      }
      find("output").replaceChildren(where, exact, rest(known));
      const size = find("size");
      size.value = state.size;
      size.setAttribute("aria-valuetext", frame.sizeTexts[state.size]);
      find("size-name").textContent = frame.sizeTexts[state.size];
      const place = find("place");
      place.max = frame.counts[state.size] - 1;
      place.value = state.place;
      place.setAttribute("aria-valuetext", placeText());
      find("place-name").textContent = `${frame.symbol} = ${significant(frame.places[cell()], 6)}`;
      showMark();

      function rest(shown) {
        if (Number.isNaN(shown)) return "";
        if (!isAlpha()) {
          const words = shown < 0 ? "shorter than" : "longer than";
          const base = significant(map.base[cell()], 6);
          return `, ${significant(Math.abs(shown), 3)} % ${words} ${map.reference} (${base})`;
        }
        const error = map.errors ? map.errors[state.method * cellsOfMethod() + cell()] : NaN;
        const spread = Number.isNaN(error) ? "" : ` ± ${percent(error, 2)} (standard error)`;
        const points = significant(100 * Math.abs(frame.alpha - shown), 6);
        return `${spread}, ${points} points ${shown > frame.alpha ? "below" : "above"} nominal`;
      }
    }

    // The row and the place below a point of the window.
    function at(event) {
      const { layout, frame } = state;
      const box = root.querySelector("svg").getBoundingClientRect();
      const scale = layout.width / box.width;
      const x = (event.clientX - box.left) * scale;
      const y = (event.clientY - box.top) * scale;
      const row = layout.rows - 1 - Math.floor((y - TOP) / layout.height);
      if (row < 0 || row >= layout.rows || x < layout.left - 2) return;
      const bounds = layout.bounds[row];
      let place = bounds.findIndex((edge) => edge > x) - 1;
      if (place < 0) place = x < bounds[0] ? 0 : frame.counts[row] - 1;
      if (row === state.size && place === state.place) return;
      state.size = row;
      state.place = place;
      showCell();
    }

    // Another size is read at the place that is next to the former one on the axis.
    function moveTo(row) {
      const { frame } = state;
      const former = frame.along[cell()];
      state.size = row;
      const along = frame.along.subarray(frame.first[row], frame.first[row + 1]);
      let best = 0;
      along.forEach((each, index) => {
        if (Math.abs(each - former) < Math.abs(along[best] - former)) best = index;
      });
      state.place = best;
    }

    // What is chosen ----------------------------------------------------------------------------

    async function choose(index, label) {
      state.asked = index;
      const found = await arrays(index);
      if (state.asked !== index) return;
      state.map = found;
      state.frame = frames[state.map.frame];
      const { map } = state;
      state.method = Math.max(0, map.labels.indexOf(label));
      state.size = Math.min(state.size, state.frame.sizes.length - 1);
      state.place = Math.min(state.place, state.frame.counts[state.size] - 1);
      find("method").replaceChildren(...map.methods.map((words, at) => option(at, words)));
      find("method").value = state.method;
      find("heading").textContent = map.title;
      find("caption").textContent = map.title;
      find("counted").textContent = isAlpha() ? "Cells below nominal" : "Cells longer";
      find("extreme").textContent = isAlpha() ? "Smallest at" : "Largest at";
      find("size").max = state.frame.sizes.length - 1;
      show();
    }

    function show() {
      find("sentence").textContent = state.map.sentences[state.method];
      draw();
      showCell();
      showSizes();
    }

    function showSizes() {
      const { map, frame } = state;
      const rows = frame.sizeTexts.map((words, row) => {
        const index = state.method * frame.sizes.length + row;
        const made = document.createElement("tr");
        const head = document.createElement("th");
        head.scope = "row";
        head.textContent = words;
        made.append(head);
        const place = map.at[index];
        const ends = [valueText(map.least[index]), valueText(map.largest[index])];
        if (isAlpha()) ends.reverse();
        const texts = [
          ...ends.map((text) => ["number", text]),
          ["", Number.isNaN(place) ? "" : `${frame.symbol} = ${significant(place, 6)}`],
          ["number", percent(map.above[index])],
        ];
        for (const [kind, text] of texts) {
          const entry = document.createElement("td");
          if (kind) entry.className = kind;
          entry.textContent = text;
          made.append(entry);
        }
        return made;
      });
      find("body").replaceChildren(...rows);
    }

    find("map").append(...data.maps.map((map, index) => option(index, map.title)));
    const [first, method] = data.first;
    find("map").value = first;
    await choose(first, data.maps[first].labels[method]);
    find("map").addEventListener("change", (event) => (
      choose(Number(event.target.value), state.map.labels[state.method])));
    find("method").addEventListener("change", (event) => {
      state.method = Number(event.target.value);
      show();
    });
    find("size").addEventListener("input", (event) => {
      moveTo(Number(event.target.value));
      showCell();
    });
    find("place").addEventListener("input", (event) => {
      state.place = Number(event.target.value);
      showCell();
    });
    for (const kind of ["pointermove", "pointerdown"]) find("drawing").addEventListener(kind, at);
    root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    let width = find("drawing").clientWidth;
    new ResizeObserver(() => {
      if (find("drawing").clientWidth === width) return;
      width = find("drawing").clientWidth;
      draw();
    }).observe(find("drawing"));
  }

  report.on("maps", begin);
})();
