// Curves of all methods over one axis: methods are switched, sizes slid over, values read.
report.on("curves", async (root, data) => {
  "use strict";
  const DASHES = ["solid", "7px,4px", "1.5px,4px", "8px,4px,1.5px,4px"];
  const MARKED = 130; // up to so many values are marked on their line,
  const MARKS = 650; // unless there are more marks than that in all
  const ESTIMATES = 320; // about so many estimates are drawn in all
  const NEAR = 15; // relative lengths are drawn up to so many per cent, unless the whole axis is asked for
  const CLOSE = 4; // so many pixels a value of the table may be farther than a point of a line
  const isOutcome = data.over === "outcome";
  const id = root.id;
  const part = (name) => document.getElementById(`${id}-${name}`);
  const plots = [part("plot-0"), part("plot-1")].filter(Boolean);
  const boxes = [...root.querySelectorAll("[data-method]")];
  const state = {
    size: data.start, held: 0, alpha: 0, reference: data.reference, at: null,
    whole: false, simulated: Boolean(part("simulated")?.checked),
  };
  const unpacked = new Map();

  const digits = (value) => Number.isFinite(value)
    ? Number(value.toPrecision(6)).toString().replace("-", "−") : "";
  const value = (missed) => 100 * (1 - missed);
  // Coverage in per cent; what is less than 100 % is never written as 100 %.
  function written(missed) {
    const text = digits(value(missed));
    if (!text) return "";
    if (text !== "100" || !(missed > 0)) return `${text} %`;
    if (missed < 1e-13) return `100 − ${digits(100 * missed)} %`;
    return `${value(missed).toFixed(Math.ceil(-Math.log10(100 * missed)) + 1).replace(/0+$/, "")} %`;
  }
  // Plotly reads some marks of HTML in texts; these stand for themselves.
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const place = (panel, index) =>
    `${data.symbol} = ${panel.names ? panel.names[index] : digits(panel.x[index])}`;
  const shown = () => boxes.filter((box) => box.checked).map((box) => Number(box.dataset.method));

  async function unpack(number) {
    const packed = data.panels[number];
    const panel = { names: packed.names, say: packed.say, estimated: packed.estimated };
    panel.x = await report.array(data.xs[packed.x]);
    const rows = (values, count) => data.titles.map(
      (_, row) => values.subarray(row * count, (row + 1) * count));
    panel.missed = rows(await smooth(packed.missed), panel.x.length);
    panel.length = packed.length && rows(await smooth(packed.length), panel.x.length);
    if (packed.curves) panel.curves = await lines(packed.curves);
    if (packed.simulated) {
      const found = packed.simulated;
      const places = await report.array(found.at);
      const [alpha, lower, upper] = await Promise.all(
        [found.alpha, found.lower, found.upper].map((each) => report.array(each)));
      panel.simulated = {
        at: places,
        alpha: rows(alpha, places.length),
        lower: rows(lower, places.length),
        upper: rows(upper, places.length),
      };
    }
    return panel;
  }

  // Numbers whose bits are stored as they differ from what the ones before lead to expect.
  async function smooth({ weights, count, bits }) {
    const found = await report.array(bits);
    const halves = new Uint32Array(found.buffer);
    const expected = new Float64Array(1);
    const its = new Uint32Array(expected.buffer);
    for (let at = 0; at < found.length; at += 1) {
      let sum = 0;
      if (at % count >= weights.length) {
        weights.forEach((weight, back) => { sum += weight * found[at - back - 1]; });
      }
      expected[0] = Number.isFinite(sum) ? sum : 0;
      halves[2 * at] ^= its[0];
      halves[2 * at + 1] ^= its[1];
    }
    return found;
  }

  async function lines(packed) {
    const steps = await report.array(packed.steps);
    const missed = await report.array(packed.missed);
    let start = 0;
    return packed.counts.map((count) => {
      if (!count) return null;
      const x = new Float64Array(count);
      let sum = 0;
      for (let each = 0; each < count; each += 1) {
        sum += steps[start + each];
        x[each] = packed.from + (packed.to - packed.from) * sum / 65535;
      }
      const line = { x, missed: missed.subarray(start, start + count) };
      start += count;
      return line;
    });
  }

  function panelNumber() {
    return (state.size * data.held.length + state.held) * data.alphas.length + state.alpha;
  }

  async function current() {
    const number = panelNumber();
    if (!unpacked.has(number)) unpacked.set(number, unpack(number));
    return unpacked.get(number);
  }

  const values = (missed) => Float64Array.from(missed, value);

  // On a logarithmic axis the outcome 0 stands to the left of the others, apart.
  function onAxis(x) {
    if (!data.logarithmic) return x;
    return Float64Array.from(x, (each) => (each > 0 ? each : zeroAt(x)));
  }
  const zeroAt = (x) => x.find((each) => each > 0) / 2;

  function marked(panel) {
    const count = panel.x.length;
    return count <= MARKED && count * shown().length <= MARKS;
  }

  function trace(row, kind, x, y, more) {
    const series = data.series[row];
    return {
      type: "scatter", uid: `${kind}-${series % 8 + 1}-${row}`, x, y, showlegend: false,
      hoverinfo: "skip", mode: "lines", marker: { size: 5 },
      line: { width: 1.6, dash: DASHES[Math.floor(series / 8) % 4] }, ...more,
    };
  }

  function valueTraces(panel) {
    const x = onAxis(panel.x);
    const few = marked(panel);
    const found = [];
    for (const row of shown()) {
      const line = panel.curves?.[row];
      if (line) found.push(trace(row, "line", line.x, values(line.missed)));
      else {
        const exact = trace(row, "exact", x, values(panel.missed[row]));
        if (few) exact.mode = "lines+markers";
        if (isOutcome) exact.line.width = 1;
        found.push(exact);
      }
      if (state.simulated && panel.simulated) found.push(simulated(row, panel, x));
    }
    return found;
  }

  // The estimates of each method are drawn in steps where many methods are on.
  const every = (panel) => Math.max(Math.ceil(panel.simulated.at.length * shown().length / ESTIMATES), 1);

  function simulated(row, panel, x) {
    const step = every(panel);
    const drawn = (list) => list.filter((_, index) => index % step === (step - 1) >> 1);
    const places = drawn(panel.simulated.at);
    const [alpha, lower, upper] = ["alpha", "lower", "upper"].map((each) => drawn(panel.simulated[each][row]));
    const y = values(alpha);
    const [low, high] = [values(upper), values(lower)];
    return trace(row, "simulated", Float64Array.from(places, (each) => x[each]), y, {
      mode: "markers", marker: { size: 4, line: { width: 1 } },
      error_y: {
        type: "data", symmetric: false, width: 0, thickness: 1,
        array: y.map((each, index) => Math.max(high[index] - each, 0) || 0),
        arrayminus: y.map((each, index) => Math.max(each - low[index], 0) || 0),
      },
    });
  }

  function longer(panel, row, index) {
    const of = panel.length[state.reference][index];
    return of > 0 ? 100 * (panel.length[row][index] / of - 1) : NaN;
  }

  // Lengths of intervals with one end are no lengths like the others.
  const lengthRows = () => shown().filter((row) => data.comparable.includes(row));

  function lengthTraces(panel) {
    if (!panel.length) return [];
    const relative = state.reference >= 0;
    // Expected lengths are smooth: a point for every few pixels is enough.
    const step = data.over === "truth" ? Math.max(Math.floor(panel.x.length / 400), 1) : 1;
    const last = panel.x.length - 1;
    const every = (_, index) => index % step === 0 || index === last;
    const x = onAxis(panel.x).filter(every);
    return lengthRows().filter((row) => row !== state.reference).map((row) => {
      const y = relative ? panel.length[row].map((_, index) => longer(panel, row, index))
        : panel.length[row];
      const mode = marked(panel) ? "lines+markers" : "lines";
      return trace(row, "length", x, y.filter(every), { mode });
    });
  }

  const ruler = document.createElement("canvas").getContext("2d");
  const TITLE_SIZE = 15;

  // A text that is at most so many pixels long.
  function shortened(text, most) {
    ruler.font = `${TITLE_SIZE}px ${getComputedStyle(root).fontFamily}`;
    let length = text.length;
    const cut = () => (length < text.length ? `${text.slice(0, length)}…` : text);
    while (length > 1 && ruler.measureText(cut()).width > most) length -= 1;
    return cut();
  }

  const wrapped = (text) => text.split(/(?<=,) /);

  // An axis with a title of one line or several, which are cut where they would not fit.
  function axis(title, most, more) {
    return {
      title: { text: title.map((line) => escaped(shortened(line, most))).join("<br>"), standoff: 8, font: { size: TITLE_SIZE } }, fixedrange: true, zeroline: false,
      showline: true, ticks: "outside", ...more,
    };
  }

  function layout(plot, panel, title, y, shapes) {
    const first = panel.x[0];
    const last = panel.x[panel.x.length - 1];
    const x = {};
    if (data.logarithmic) {
      const least = zeroAt(panel.x);
      const powers = [];
      for (let power = 1; power <= last; power *= 10) powers.push(power);
      const zero = first === 0 ? [least] : [];
      Object.assign(x, {
        type: "log", tickvals: [...zero, ...powers], ticktext: [...zero.map(() => "0"), ...powers.map(String)],
        range: [Math.log10((first > 0 ? first : least) / 1.1), Math.log10(last * 1.1)],
      });
    } else {
      const wide = 0.02 * (last - first) || 0.1 * Math.abs(first) || 0.5;
      const room = panel.curves && last > first ? 0 : wide;
      const [low, high] = data.ends;
      x.range = [Math.max(first - room, low ?? -Infinity), Math.min(last + room, high ?? Infinity)];
      if (panel.curves && first > 0 && first < 0.02 * last) x.range[0] = 0;
    }
    return {
      autosize: true, margin: { l: title.length > 1 ? 84 : 68, r: 12, t: 8, b: 44 }, dragmode: false, hovermode: false,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", shapes,
      font: { family: getComputedStyle(root).fontFamily, size: 13 },
      xaxis: axis([data.xLabel], Math.min(plot.clientWidth - 100, 560), x),
      yaxis: axis(title, plot.clientHeight - 40, y),
    };
  }

  function nominal() {
    const y = value(data.alphas[state.alpha]);
    return {
      type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y, line: { dash: "dash", width: 1 },
    };
  }

  function valueRange() {
    const reach = state.whole ? 1 : data.reach[state.alpha];
    const room = 0.02 * reach;
    return [value(reach + (reach === 1 ? room : 0)), value(-room)];
  }

  const config = {
    displayModeBar: false, responsive: false, scrollZoom: false, doubleClick: false,
    showTips: false, showAxisDragHandles: false,
  };

  async function draw() {
    const began = performance.now();
    const panel = await current();
    const of = state.reference < 0 ? "" : data.titles[state.reference];
    const lengthTitle = of ? ["% longer than", of] : wrapped(data.lengthLabel);
    await Plotly.react(plots[0], valueTraces(panel),
      layout(plots[0], panel, [data.valueLabel], { range: valueRange() }, [nominal()]), config);
    if (plots[1]) {
      const zero = { ...nominal(), y0: 0, y1: 0 };
      const traces = lengthTraces(panel);
      const near = of && !state.whole && traces.some(({ y }) => y.some((each) => Math.abs(each) < NEAR));
      await Plotly.react(plots[1], traces, layout(plots[1], panel, lengthTitle,
        near ? { range: [-NEAR, NEAR] } : { rangemode: "tozero" }, of ? [zero] : []), config);
    }
    colour();
    say(panel);
    sayDrawn(panel);
    legend();
    readAt(panel);
    root.dataset.milliseconds = String(Math.round(performance.now() - began));
  }

  // Colours are those of the style sheet, so that they follow light, dark and print.
  function colour() {
    for (const group of root.querySelectorAll(".plot .trace")) {
      const found = /trace(exact|line|length|simulated)-(\d)-/.exec(group.getAttribute("class"));
      if (found) group.classList.add(`series-${found[2]}`, found[1]);
    }
  }

  // Sentences are about the methods and the reference of the beginning.
  function say(panel) {
    const rows = shown();
    const asAtFirst = rows.length === data.on.length && rows.every((row) => data.on.includes(row));
    const whose = asAtFirst ? ""
      : `Of the ${data.on.length === 1 ? "method" : `${data.on.length} methods`} that ${data.on.length === 1 ? "is" : "are"} on at first: `;
    plots.forEach((plot, index) => {
      const hidden = index === 1 && state.reference !== data.reference;
      const text = panel.say[index] && !hidden ? whose + panel.say[index] : "";
      part(`say-${index}`).textContent = text;
      plot.setAttribute("aria-label", text || data.lengthLabel);
    });
  }

  function sayDrawn(panel) {
    if (!part("drawn")) return;
    const step = state.simulated && panel.simulated ? every(panel) : 1;
    part("drawn").textContent = step > 1 ? `(one in ${step} is drawn)` : "";
  }

  function legend() {
    root.querySelector(".legend").replaceChildren(...shown().map((row) => {
      const item = document.createElement("li");
      const label = boxes[row].closest("label");
      item.append(...[...label.children].slice(1).map((each) => each.cloneNode(true)));
      return item;
    }));
  }

  function readAt(panel) {
    const slider = part("at");
    const last = panel.x.length - 1;
    state.at = Math.min(state.at ?? Math.round(last / 10), last);
    slider.max = String(last);
    slider.value = String(state.at);
    const text = place(panel, state.at);
    part("at-text").textContent = text;
    slider.setAttribute("aria-valuetext", text);
    cursors(panel);
    table(panel, text);
  }

  function cursors(panel) {
    for (const plot of plots) {
      const { xaxis, _size: size } = plot._fullLayout;
      let line = plot.querySelector(":scope > .cursor");
      if (!line) {
        line = document.createElement("div");
        line.className = "cursor";
        plot.append(line);
      }
      line.style.left = `${size.l + xaxis.d2p(onAxis(panel.x)[state.at])}px`;
      line.style.top = `${size.t}px`;
      line.style.height = `${size.h}px`;
    }
  }

  // The point that is nearest to the pointer: of a line, or of the values of the table.
  function under(panel, plot, event) {
    const { xaxis, yaxis, _size: size } = plot._fullLayout;
    const box = plot.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left - size.l, event.clientY - box.top - size.t];
    if (left < -4 || left > size.w + 4 || top < -4 || top > size.h + 4) return null;
    const isLength = plot === plots[1];
    if (isLength && !panel.length) return null;
    const x = onAxis(panel.x);
    const index = nearest(x, (each) => Math.abs(xaxis.d2p(each) - left));
    const found = { distance: Infinity };
    const offer = (row, place, height, more) => {
      const px = xaxis.d2p(place);
      const py = Math.min(Math.max(yaxis.d2p(height), 0), size.h);
      const distance = Math.hypot(px - left, py - top) - (more.onLine ? 0 : CLOSE);
      if (distance < found.distance) {
        Object.assign(found, { distance, row, height, index, isLength, left: size.l + px, top: size.t + py }, more);
      }
    };
    for (const row of isLength ? lengthRows() : shown()) {
      const line = isLength ? null : panel.curves?.[row];
      if (line) {
        line.x.forEach((place, at) => offer(row, place, value(line.missed[at]),
          { onLine: true, text: `${data.symbol} = ${Number(place.toPrecision(5))}`, missed: line.missed[at] }));
      }
      const missed = panel.missed[row][index];
      const height = !isLength ? value(missed)
        : state.reference < 0 ? panel.length[row][index] : longer(panel, row, index);
      if (Number.isFinite(height)) offer(row, x[index], height, { onLine: false, text: place(panel, index), missed });
    }
    return found.distance < Infinity ? found : null;
  }

  function nearest(list, distance) {
    let best = 0;
    let least = Infinity;
    for (let index = 0; index < list.length; index += 1) {
      const found = distance(list[index]);
      if (found < least) [best, least] = [index, found];
    }
    return best;
  }

  function tell(panel, plot, found) {
    let tip = plot.querySelector(":scope > .tip");
    if (!tip) {
      tip = document.createElement("div");
      tip.className = "tip";
      plot.append(tip);
    }
    tip.hidden = !found;
    if (!found) return;
    const lines = [data.titles[found.row], found.text];
    if (!found.isLength) lines.push(`coverage ${written(found.missed)}`);
    else lines.push(`length ${digits(panel.length[found.row][found.index])}`);
    if (found.isLength && state.reference >= 0) lines.push(`${digits(found.height)} % longer`);
    const trials = state.simulated && panel.simulated && !found.isLength && !found.onLine
      && estimate(panel, found.row, found.index);
    if (trials) lines.push(`Monte Carlo ${trials}`);
    tip.replaceChildren(...lines.map((line) => {
      const text = document.createElement("div");
      text.textContent = line;
      text.dir = "auto";
      return text;
    }));
    const right = found.left > plot.clientWidth / 2;
    tip.style.left = right ? "" : `${found.left + 8}px`;
    tip.style.right = right ? `${plot.clientWidth - found.left + 8}px` : "";
    tip.style.top = `${Math.min(found.top, plot.clientHeight - 90)}px`;
  }

  function table(panel, text) {
    const settings = [data.sizes[state.size], data.held[state.held], text].filter(Boolean).join(", ");
    const found = part("values");
    const trials = state.simulated && panel.simulated;
    const heads = ["method", "coverage"];
    if (trials) heads.push("Monte Carlo (95 % interval)");
    if (panel.length) heads.push("length");
    if (panel.length && state.reference >= 0) heads.push(`longer than ${data.titles[state.reference]}`);
    found.caption.textContent = `${settings}, nominal ${written(data.alphas[state.alpha])}`;
    found.tHead.rows[0].replaceChildren(...heads.map((head, column) => {
      const cell = document.createElement("th");
      cell.scope = "col";
      if (column) cell.className = "number";
      cell.textContent = head;
      return cell;
    }));
    found.tBodies[0].replaceChildren(...shown().map((row) => {
      const line = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.dir = "auto";
      head.textContent = data.titles[row];
      const cells = [written(panel.missed[row][state.at])];
      if (trials) cells.push(estimate(panel, row, state.at));
      if (panel.length) cells.push(digits(panel.length[row][state.at]) + (panel.estimated?.[row] ? " (mean of trials)" : ""));
      if (panel.length && state.reference >= 0) {
        const percent = data.comparable.includes(row) ? longer(panel, row, state.at) : NaN;
        cells.push(Number.isFinite(percent) ? `${digits(percent)} %` : "");
      }
      line.append(head, ...cells.map((content) => {
        const cell = document.createElement("td");
        cell.className = "number";
        cell.textContent = content;
        return cell;
      }));
      return line;
    }));
  }

  function estimate(panel, row, at) {
    const found = panel.simulated;
    const index = found.at.indexOf(at);
    if (index < 0 || !Number.isFinite(found.alpha[row][index])) return "";
    const [low, high] = [written(found.upper[row][index]), written(found.lower[row][index])];
    return `${written(found.alpha[row][index])} (${low}, ${high})`;
  }

  let drawing = Promise.resolve();
  function redraw() {
    drawing = drawing.then(draw);
    return drawing;
  }

  root.addEventListener("input", async (event) => {
    const { set, method } = event.target.dataset;
    if (method !== undefined) return redraw();
    if (!set) return undefined;
    const input = event.target;
    if (set === "at") {
      state.at = Number(input.value);
      return readAt(await current());
    }
    if (set === "size") {
      const text = data.sizes[Number(input.value)];
      part("size-text").textContent = text;
      input.setAttribute("aria-valuetext", text);
    }
    // The position that is read stays where it is, as far as the next size has it.
    const before = await current();
    const share = state.at / Math.max(before.x.length - 1, 1);
    state[set] = input.type === "checkbox" ? input.checked : Number(input.value);
    const after = await current();
    if (after.x.length !== before.x.length) state.at = Math.round(share * (after.x.length - 1));
    return redraw();
  });

  root.addEventListener("click", (event) => {
    const which = event.target.dataset.switch;
    if (!which) return;
    boxes.forEach((box, row) => {
      box.checked = which === "all" || (which === "first" && data.on.includes(row));
    });
    redraw();
  });

  // Still pictures stand until the first drawing is there.
  root.classList.add("starting");
  await redraw();
  root.classList.replace("starting", "started");
  for (const plot of plots) {
    plot.addEventListener("pointermove", async (event) => {
      const panel = await current();
      tell(panel, plot, under(panel, plot, event));
    });
    plot.addEventListener("pointerleave", async () => tell(await current(), plot, null));
    plot.addEventListener("click", async (event) => {
      const panel = await current();
      const found = under(panel, plot, event);
      if (!found) return;
      state.at = found.index;
      readAt(panel);
    });
    plot.on("plotly_afterplot", async () => {
      colour();
      cursors(await current());
    });
  }
  // Plots are as wide as their place; a page of paper is narrower than the window.
  let printing = false;
  const fit = (plot, width) => Plotly.relayout(plot, { width, autosize: false });
  const watch = new ResizeObserver((entries) => {
    if (printing) return;
    for (const { target, contentRect } of entries) {
      if (contentRect.width && contentRect.width !== target._fullLayout.width) fit(target, contentRect.width);
    }
  });
  plots.forEach((plot) => watch.observe(plot));
  window.addEventListener("beforeprint", () => {
    printing = true;
    plots.forEach((plot) => fit(plot, 680));
  });
  window.addEventListener("afterprint", () => {
    printing = false;
    plots.forEach((plot) => fit(plot, plot.clientWidth));
  });
});
