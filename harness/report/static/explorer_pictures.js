// The three pictures of one interval method: coverage over p, the outcomes, the drawn intervals.
// They share the horizontal axis, so that the line at p goes through all of them.
const explorerPictures = (() => {
  "use strict";
  const SPACE = "http://www.w3.org/2000/svg";
  const LEFT = 46, RIGHT = 10, BOTTOM = 40;
  const WIDE = 290;
  const HOLDS = 0, BELOW = 1, ABOVE = 2;

  function add(parent, name, attributes, text) {
    const made = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  // Three significant digits, as the tables of the page have them.
  function shown(value) {
    if (value > 0 && value < 0.001) return "less than 0.001";
    return String(Number(value.toPrecision(3)));
  }

  const percent = (value) => `${shown(100 * value)} %`;

  // A coverage with the decimals of the probability of a miss, which is what is left of 100 %.
  function covered(coverage, missed) {
    const decimals = missed > 0 ? Math.max(0, 2 - Math.floor(Math.log10(100 * missed))) : 0;
    return `${(100 * coverage).toFixed(Math.min(decimals, 3))} %`;
  }

  function ticks(low, high, most) {
    const rough = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
    const found = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at += 1) {
      found.push(at * step);
    }
    return found;
  }

  const plain = (value) => String(Number(value.toPrecision(6)));

  // An empty picture: its size in pixels, scales, an inner area that cuts off what lies outside.
  function begin(svg, view, low, high, top) {
    const width = Math.max(svg.clientWidth, 120), height = Math.max(svg.clientHeight, 120);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const inner = { width: width - LEFT - RIGHT, height: height - top - BOTTOM };
    const x = (p) => (p - view.low) / (view.high - view.low) * inner.width;
    const y = (value) => (high - value) / (high - low) * inner.height;
    const outer = add(svg, "g", { transform: `translate(${LEFT} ${top})` });
    const area = add(outer, "svg", { width: inner.width, height: inner.height, overflow: "hidden" });
    return { svg, outer, area, x, y, ...inner, top };
  }

  function axes(picture, view, marks, names) {
    const { outer, x, width, height } = picture;
    for (const [at, text] of marks.vertical) {
      add(outer, "line", { class: "grid", x1: 0, x2: width, y1: at, y2: at });
      add(outer, "text", { x: -6, y: at + 4, "text-anchor": "end" }, text);
    }
    for (const [at, text] of marks.horizontal) {
      const place = x(at);
      if (place < -0.5 || place > width + 0.5) continue;
      add(outer, "line", { class: "frame", x1: place, x2: place, y1: height, y2: height + 4 });
      add(outer, "text", { x: place, y: height + 17, "text-anchor": "middle" }, text);
    }
    add(outer, "line", { class: "frame", x1: 0, x2: width, y1: height, y2: height });
    add(outer, "line", { class: "frame", x1: 0, x2: 0, y1: 0, y2: height });
    add(outer, "text", { class: "name", x: width / 2, y: height + 34, "text-anchor": "middle" }, names[0]);
    add(outer, "text", {
      class: "name", transform: `translate(-35 ${height / 2}) rotate(-90)`, "text-anchor": "middle",
    }, names[1]);
    picture.outer.append(picture.area);
  }

  const proportions = (view) => ticks(Math.max(view.low, 0), Math.min(view.high, 1), 5)
    .map((each) => [each, plain(each)]);

  function atTruth(picture, p) {
    const place = picture.x(p);
    add(picture.area, "line", { class: "at", x1: place, x2: place, y1: 0, y2: picture.height });
  }

  // Where the limits of the outcome that is followed lie.
  function followed(picture, seen, text) {
    const { area, x, height } = picture;
    const [low, high] = [x(seen.lower), x(seen.upper)];
    for (const place of [low, high]) {
      add(area, "line", { class: "limit", x1: place, x2: place, y1: 0, y2: height });
    }
    const y = height - 7;
    add(area, "path", { class: "follow", d: `M${low} ${y - 5}v10M${low} ${y}H${high}M${high} ${y - 5}v10` });
    const room = 3.9 * text.length;
    const middle = Math.min(Math.max((low + high) / 2, room), picture.width - room);
    add(area, "text", { class: "follows", x: middle, y: y - 9, "text-anchor": "middle" }, text);
  }

  function coverage(svg, view, seen) {
    const floor = view.floor;
    const picture = begin(svg, view, floor, 1, 18);
    const { area, outer, x, y, height, width } = picture;
    const vertical = ticks(floor, 1, height > 170 ? 5 : 4).map((each) => [y(each), plain(100 * each)]);
    axes(picture, view, { vertical, horizontal: proportions(view) }, ["true proportion p", "coverage (%)"]);
    const promised = 1 - view.alpha;
    add(area, "line", { class: "nominal", x1: 0, x2: width, y1: y(promised), y2: y(promised) });
    const parts = [];
    for (let at = 0; at < seen.curve[0].length; at += 1) {
      const p = seen.curve[0][at];
      if (p < view.low - 0.02 || p > view.high + 0.02) continue;
      parts.push(`${x(p).toFixed(2)} ${y(seen.curve[1][at]).toFixed(2)}`);
    }
    add(area, "path", { class: "curve", d: `M${parts.join("L")}` });
    atTruth(picture, view.p);
    if (seen.follow) followed(picture, seen.follow, seen.follow.interval);
    // From 100 % down to the coverage: what misses, and on which side.
    const place = x(view.p), between = y(1 - seen.below), end = y(seen.coverage);
    add(area, "rect", { class: "miss below", x: place - 5, width: 10, y: 0, height: between });
    add(area, "rect", {
      class: "miss above", x: place - 5, width: 10, y: between, height: Math.max(end - between, 0),
      fill: view.hatch,
    });
    if (seen.coverage >= floor) {
      add(area, "circle", { class: "point", cx: place, cy: Math.min(end, height - 1), r: 5 });
    } else {
      add(area, "path", { class: "point", d: `M${place - 7} ${height - 12}h14l-7 11z` });
    }
    const middle = Math.min(Math.max(place, 32), width - 32);
    add(outer, "text", { class: "truth", x: middle, y: -5, "text-anchor": "middle" }, `p = ${view.pText}`);
  }

  function outcomes(svg, view, seen) {
    const n = view.n, count = n + 1;
    let most = 0;
    for (let k = 0; k < count; k += 1) most = Math.max(most, seen.probability[k]);
    const picture = begin(svg, view, 0, 1.15 * most, 22);
    const { area, outer, x, y, height, width } = picture;
    const vertical = ticks(0, 1.15 * most, 4).map((each) => [y(each), plain(100 * each)]);
    const room = width / (view.high - view.low) / n;
    const step = [1, 2, 5, 10, 20, 25, 50, 100].find((each) => each * room >= 27) ?? n;
    const horizontal = [];
    for (let k = 0; k <= n; k += step) horizontal.push([k / n, String(k)]);
    axes(picture, view, { vertical, horizontal }, [`outcome x of n = ${n}`, "probability (%)"]);
    const half = Math.min(0.4 / n, 0.055) / (view.high - view.low) * width;
    const paths = ["", "", ""];
    for (let k = 0; k < count; k += 1) {
      const top = y(seen.probability[k]);
      if (height - top < 0.05) continue;
      const left = x(k / n) - half;
      paths[seen.misses[k]] += `M${left.toFixed(2)} ${height}V${top.toFixed(2)}h${(2 * half).toFixed(2)}V${height}z`;
    }
    add(area, "path", { class: "held", d: paths[HOLDS] });
    add(area, "path", { class: "miss below", d: paths[BELOW] });
    add(area, "path", { class: "miss above", d: paths[ABOVE], fill: view.hatch });
    atTruth(picture, view.p);
    if (seen.follow) {
      const top = y(seen.probability[seen.follow.x]), middle = x(seen.follow.x / n);
      add(area, "path", { class: "arrow", d: `M${middle} ${top - 2}l-7 -11h14z` });
      if (half > 5) {
        add(area, "rect", { class: "followed", x: middle - half, width: 2 * half, y: top, height: height - top });
      }
    }
    sums(outer, width, view, seen);
  }

  // The sums of the bars of either side, in its corner.
  function sums(outer, width, view, seen) {
    const wide = width > WIDE;
    const [left, right] = [["p above: ", seen.above], ["p below: ", seen.below]]
      .map(([words, value]) => `${wide ? words : ""}${percent(value)}`);
    add(outer, "rect", { class: "miss above", x: 0, y: -18, width: 12, height: 12, fill: view.hatch });
    add(outer, "text", { class: "sum", x: 17, y: -7 }, left);
    add(outer, "rect", { class: "miss below", x: width - 12, y: -18, width: 12, height: 12 });
    add(outer, "text", { class: "sum", x: width - 17, y: -7, "text-anchor": "end" }, right);
  }

  function intervals(svg, view, seen) {
    const samples = seen.drawn.length;
    const picture = begin(svg, view, samples, 0, 20);
    const { area, outer, x, width, height } = picture;
    const line = (row) => ((row + 0.5) / samples * height).toFixed(2);
    const vertical = [1, samples / 2, samples].map((each) => [Number(line(each - 1)), String(each)]);
    axes(picture, view, { vertical, horizontal: proportions(view) }, ["proportion", "sample"]);
    const paths = ["", "", ""], points = ["", "", ""];
    let marks = "";
    seen.drawn.forEach((outcome, row) => {
      const kind = seen.misses[outcome], y = line(row);
      const low = x(seen.lower[outcome]), high = x(seen.upper[outcome]);
      paths[kind] += `M${low.toFixed(2)} ${y}H${high.toFixed(2)}`;
      points[kind] += `M${x(outcome / view.n).toFixed(2)} ${y}h0`;
      if (seen.follow && seen.follow.x === outcome) marks += `M5 ${y}h0`;
    });
    ["held", "miss below", "miss above"].forEach((name, kind) => {
      add(area, "path", { class: `interval ${name}`, d: paths[kind] });
      add(area, "path", { class: `estimate ${name}`, d: points[kind] });
    });
    atTruth(picture, view.p);
    if (marks) add(area, "path", { class: "marks", d: marks });
    const wide = width > WIDE;
    add(outer, "text", { x: 0, y: -6 }, wide ? `so far ${seen.soFar} miss` : seen.soFar);
    const length = `${wide ? "mean length" : "length"} ${shown(seen.length)}`;
    add(outer, "text", { x: width, y: -6, "text-anchor": "end" }, length);
  }

  // Where a pointer is: the proportion below it, and the share of the height.
  function pointed(svg, view, event, top) {
    const box = svg.getBoundingClientRect();
    const across = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    const down = (event.clientY - box.top - top) / (box.height - top - BOTTOM);
    return { p: view.low + across * (view.high - view.low), down };
  }

  function hatch(parent, id) {
    const svg = add(parent, "svg", { class: "patterns", width: 0, height: 0, "aria-hidden": "true" });
    const pattern = add(svg, "pattern", {
      id, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
    });
    add(pattern, "rect", { class: "ground", width: 5, height: 5 });
    add(pattern, "rect", { class: "stripe", width: 2.4, height: 5 });
  }

  return { add, coverage, outcomes, intervals, pointed, hatch, percent, covered, shown };
})();
