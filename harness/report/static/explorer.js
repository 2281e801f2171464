// The page for teaching. Every number stands in the page: this looks it up and shows it.
(() => {
  "use strict";
  const { percent, covered, shown } = explorerPictures;
  const KINDS = ["coverage", "outcomes", "intervals"];
  const NEAR = 0.4, EDGE = 0.06;

  report.on("explorer", async (root, data) => {
    const find = (name) => root.querySelector(`#${root.id}-${name}`);
    const panels = find("panels");
    const state = { ...data.start, hundred: 0, x: -1, floor: 0.5, near: false };
    const unpacked = new Map();
    const columns = new Map();
    const hatchId = `${root.id}-hatch`;
    explorerPictures.hatch(panels.parentElement, hatchId);

    // The arrays of one n, unpacked when it is chosen.
    async function numbers(index) {
      if (!unpacked.has(index)) {
        const { n, curves, ...arrays } = data.sizes[index];
        const names = Object.keys(arrays);
        const found = await Promise.all(names.map((name) => report.array(arrays[name])));
        const lines = await Promise.all(curves.map((each) => Promise.all(each.map(report.array))));
        const all = Object.fromEntries(names.map((name, at) => [name, found[at]]));
        unpacked.set(index, { n, curves: lines, ...all });
      }
      return unpacked.get(index);
    }

    function view(size) {
      const p = data.truths[state.p];
      const low = state.near ? Math.min(Math.max(p - NEAR / 2, -EDGE), 1 + EDGE - NEAR) : -EDGE;
      const high = state.near ? low + NEAR : 1 + EDGE;
      return {
        n: size.n, p, low, high, pText: String(Number(p.toPrecision(6))), floor: state.floor,
        alpha: data.alpha, hatch: `url(#${hatchId})`,
      };
    }

    // What is known of one method at the chosen n and p.
    function look(size, method) {
      const count = size.n + 1, at = method * data.truths.length + state.p;
      const row = (array) => array.subarray(method * count, (method + 1) * count);
      const samples = (state.p * data.hundreds + state.hundred) * data.drawn;
      const hundred = at * data.hundreds + state.hundred;
      const seen = {
        lower: row(size.lower),
        upper: row(size.upper),
        misses: size.misses.subarray(at * count, (at + 1) * count),
        probability: size.probability.subarray(state.p * count, (state.p + 1) * count),
        drawn: size.drawn.subarray(samples, samples + data.drawn),
        curve: size.curves[method],
        count: size.counts[hundred],
        total: size.totals[hundred],
        when: data.words[size.when[at]],
      };
      for (const name of ["below", "above", "missed", "coverage", "length", "expected", "spread"]) {
        seen[name] = size[name][at];
      }
      seen.follow = state.x < 0 ? null : followed(seen);
      seen.soFar = `${seen.total} of ${(state.hundred + 1) * data.drawn}`;
      return seen;
    }

    function followed(seen) {
      const x = state.x, lower = seen.lower[x], upper = seen.upper[x];
      const interval = `x = ${x}: ${lower.toFixed(3)} to ${upper.toFixed(3)}`;
      return { x, lower, upper, interval, probability: seen.probability[x], kind: seen.misses[x] };
    }

    function element(name, className, parent) {
      const made = document.createElement(name);
      if (className) made.className = className;
      parent.append(made);
      return made;
    }

    function columnOf(method) {
      if (columns.has(method)) return columns.get(method);
      const box = document.createElement("div");
      box.className = "column";
      box.id = `${root.id}-method-${method}`;
      const title = element("h3", "", box);
      title.dir = "auto";
      title.textContent = data.methods[method];
      const column = { box, sentence: element("p", "sentence", box), captions: {}, pictures: {} };
      for (const kind of KINDS) {
        const figure = element("figure", kind, box);
        column.captions[kind] = element("figcaption", "", figure);
        const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        svg.setAttribute("role", "img");
        figure.append(svg);
        column.pictures[kind] = svg;
      }
      follow(column);
      columns.set(method, column);
      return column;
    }

    // Text with the numbers that are one and the same in the colour of what misses.
    function write(target, parts) {
      target.replaceChildren(...parts.map((part) => {
        if (typeof part === "string") return part;
        const made = document.createElement("span");
        made.className = "same";
        made.dataset.value = part.name;
        made.textContent = part.text;
        return made;
      }));
    }

    const same = (name, text) => ({ name, text });

    function sentence(seen, now, title) {
      // Beside several others there is room for the short form only.
      const short = state.methods.length > 2;
      const start = short
        ? "This interval " : `At n = ${now.n} and p = ${now.pText} the ${title} interval `;
      if (!seen.when) return [`${start}holds p whatever x is: none of ${data.drawn} intervals misses.`];
      return [
        `${start}misses when x is ${seen.when}: ${short ? "" : "that has "}probability `,
        same("missed", percent(seen.missed)),
        `; of the ${data.drawn} intervals drawn ${seen.count} miss, `,
        same("expected", shown(seen.expected)),
        " are expected.",
      ];
    }

    function captions(seen) {
      return {
        coverage: [
          `Covers ${covered(seen.coverage, seen.missed)}, misses `, same("missed", percent(seen.missed)),
        ],
        outcomes: ["Outcomes that miss: ", same("missed", percent(seen.missed))],
        intervals: [
          `${seen.count}${state.methods.length > 2 ? "" : ` of ${data.drawn}`} miss, `,
          same("expected", shown(seen.expected)), ` ± ${seen.spread.toFixed(1)} expected`,
        ],
      };
    }

    // What a picture shows beside its caption, for those who do not see it.
    function described(kind, seen, now) {
      const setting = `at n = ${now.n}, p = ${now.pText}`;
      const { follow } = seen;
      const does = follow && ["holds p", "lies above p", "lies below p"][follow.kind];
      const more = follow
        ? ` Interval of ${follow.interval}; it ${does} and has probability ${percent(follow.probability)}.` : "";
      return {
        coverage: `Coverage over p, a line with jumps, ${setting}.${more}`,
        outcomes: `Probabilities of the outcomes ${setting}; p above the interval: `
          + `${percent(seen.above)}, p below: ${percent(seen.below)}.${more}`,
        intervals: `${data.drawn} drawn intervals ${setting}; so far ${seen.soFar} miss; mean length ${shown(seen.length)}.`,
      }[kind];
    }

    const text = (parts) => parts.map((each) => each.text ?? each).join("");

    function show(method, size, now) {
      const column = columnOf(method), seen = look(size, method);
      write(column.sentence, sentence(seen, now, data.methods[method]));
      const written = captions(seen);
      for (const kind of KINDS) {
        write(column.captions[kind], written[kind]);
        const label = `${text(written[kind])}. ${described(kind, seen, now)}`;
        column.pictures[kind].setAttribute("aria-label", label);
      }
      return () => KINDS.forEach((kind) => explorerPictures[kind](column.pictures[kind], now, seen));
    }

    // The address has the view, so that a link opens it again.
    let soon = 0;
    function writeAddress(now) {
      const words = new URLSearchParams({ family: data.family, n: now.n, p: now.pText });
      state.methods.forEach((each) => words.append("method", data.labels[each]));
      clearTimeout(soon);
      // Browsers refuse an address that changes with every move of a slider.
      soon = setTimeout(() => history.replaceState(null, "", `#${words}`), 200);
    }

    function readAddress() {
      const words = new URLSearchParams(location.hash.slice(1));
      if (words.get("family") !== data.family) return;
      const n = data.sizes.findIndex((each) => each.n === Number(words.get("n")));
      if (n >= 0) state.n = n;
      if (Number(words.get("p"))) state.p = nearest(Number(words.get("p")));
      const asked = words.getAll("method").filter((each) => data.labels.includes(each));
      if (asked.length) root.querySelectorAll("input[name='method']").forEach((each) => {
        each.checked = asked.slice(0, data.most).includes(data.labels[each.value]);
      });
      limitMethods();
    }

    let asked = 0;
    async function redraw() {
      asked += 1;
      const mine = asked;
      const size = await numbers(state.n);
      if (mine !== asked) return;
      state.x = Math.min(state.x, size.n);
      const now = view(size);
      labels(size, now);
      writeAddress(now);
      const boxes = state.methods.map((each) => columnOf(each).box);
      if (boxes.length !== panels.children.length || boxes.some((box, at) => panels.children[at] !== box)) {
        panels.replaceChildren(...boxes);
        panels.dataset.columns = String(boxes.length);
        if (!boxes.length) panels.textContent = "Choose an interval.";
      }
      // Texts first, since they decide where the pictures stand.
      const draw = state.methods.map((each) => show(each, size, now));
      draw.forEach((each) => each());
    }

    function labels(size, now) {
      const set = (name, words) => {
        find(`${name}-shown`).textContent = words;
        find(name).setAttribute("aria-valuetext", words);
      };
      set("n", String(size.n));
      set("p", now.pText);
      set("x", state.x < 0 ? "none" : String(state.x));
      find("n").value = state.n;
      find("p").value = state.p;
      find("x").max = size.n;
      find("x").value = state.x;
      find("hundred").textContent = `hundred ${state.hundred + 1} of ${data.hundreds}`;
      find("again").textContent = state.hundred + 1 < data.hundreds
        ? "Draw another hundred" : "Begin again with the first";
    }

    function nearest(p) {
      let best = 0;
      data.truths.forEach((each, at) => {
        if (Math.abs(each - p) < Math.abs(data.truths[best] - p)) best = at;
      });
      return best;
    }

    // A pointer chooses p in the picture of coverage, and an outcome in the other two.
    function follow({ pictures }) {
      const { coverage, outcomes, intervals } = pictures;
      const toTruth = (event) => {
        const now = view(unpacked.get(state.n));
        state.p = nearest(explorerPictures.pointed(coverage, now, event, 0).p);
        redraw();
      };
      coverage.addEventListener("pointerdown", (event) => {
        coverage.setPointerCapture(event.pointerId);
        toTruth(event);
      });
      coverage.addEventListener("pointermove", (event) => {
        if (coverage.hasPointerCapture(event.pointerId)) toTruth(event);
      });
      const toOutcome = (x) => {
        state.x = x === state.x ? -1 : x;
        redraw();
      };
      outcomes.addEventListener("click", (event) => {
        const size = unpacked.get(state.n);
        const { p } = explorerPictures.pointed(outcomes, view(size), event, 0);
        toOutcome(Math.min(Math.max(Math.round(p * size.n), 0), size.n));
      });
      intervals.addEventListener("click", (event) => {
        const size = unpacked.get(state.n);
        const { down } = explorerPictures.pointed(intervals, view(size), event, 20);
        const { drawn } = look(size, 0);
        toOutcome(drawn[Math.min(Math.max(Math.floor(down * drawn.length), 0), drawn.length - 1)]);
      });
    }

    function limitMethods() {
      const boxes = [...root.querySelectorAll("input[name='method']")];
      state.methods = boxes.filter((each) => each.checked).map((each) => Number(each.value));
      const full = state.methods.length >= data.most;
      for (const each of boxes) each.disabled = full && !each.checked;
    }

    root.addEventListener("input", ({ target }) => {
      if (["n", "p", "x", "floor"].includes(target.name)) state[target.name] = Number(target.value);
      if (target.name === "near") state.near = target.checked;
      if (target.name === "only") panels.classList.toggle("only", target.checked);
      if (target.name === "method") limitMethods();
      redraw();
    });
    find("again").addEventListener("click", () => {
      state.hundred = (state.hundred + 1) % data.hundreds;
      redraw();
    });
    root.querySelectorAll("button[name='save']").forEach((button) => button.addEventListener("click", () => {
      const now = view(unpacked.get(state.n));
      const desk = panels.parentElement;
      explorerSave.save(desk, hatchId, button.value, `intervals-n${now.n}-p${now.pText}`);
    }));
    // The size of the pictures follows from the window.
    let width = 0;
    new ResizeObserver(() => {
      if (panels.clientWidth !== width) {
        width = panels.clientWidth;
        redraw();
      }
    }).observe(panels);
    window.addEventListener("hashchange", () => {
      readAddress();
      redraw();
    });
    limitMethods();
    readAddress();
    await redraw();
  });
})();
