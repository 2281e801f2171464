// The table of cells: chosen, filtered, sorted and paged from columns, which hold every last bit.
(() => {
  "use strict";
  const ROWS_OF_PAGE = 50;
  const ROWS_OF_CHUNK = 4000;
  const TESTS = {
    "at-least": (value, bound) => value >= bound,
    "at-most": (value, bound) => value <= bound,
    "equal": (value, bound) => value === bound,
    "not-equal": (value, bound) => value !== bound && !Number.isNaN(value),
  };

  // Columns -------------------------------------------------------------------------------------

  async function unpack(columns, rows) {
    const found = new Map();
    const wanted = new Map(columns.map((each) => [each.name, each]));

    async function numbers(name) {
      const known = found.get(name);
      if (known) return known.values;
      const column = wanted.get(name);
      let values;
      if (column.codes) {
        const levels = await report.array(column.levels);
        const codes = await report.array(column.codes);
        values = Float64Array.from(codes, (code) => levels[code]);
      } else {
        values = await report.array(column.values);
        if (column.rule) exclusiveOr(values, await guesses(column));
      }
      found.set(name, { ...column, values });
      return values;
    }

    // What the rule gives for each row: one operation of IEEE 754, as where the column was packed.
    async function guesses(column) {
      const result = new Float64Array(rows);
      if (column.rule === "share") {
        const counts = await report.array(column.counts);
        const trials = await numbers(column.of);
        for (let row = 0; row < rows; row += 1) result[row] = counts[row] / trials[row];
      } else {
        const one = await numbers(column.of[0]);
        const other = await numbers(column.of[1]);
        const sign = column.rule === "sum" ? 1 : -1;
        for (let row = 0; row < rows; row += 1) result[row] = one[row] + sign * other[row];
      }
      return result;
    }

    for (const column of columns) {
      if (column.type === "text" || column.type === "flag") {
        const codes = await report.array(column.codes);
        const empty = column.levels.indexOf(null);
        found.set(column.name, { ...column, codes, empty });
      } else {
        await numbers(column.name);
      }
    }
    return columns.map((each) => found.get(each.name));
  }

  function exclusiveOr(values, guess) {
    const bits = new Uint32Array(values.buffer);
    const others = new Uint32Array(guess.buffer);
    for (let row = 0; row < values.length; row += 1) {
      if (Number.isNaN(guess[row])) continue;
      bits[2 * row] ^= others[2 * row];
      bits[2 * row + 1] ^= others[2 * row + 1];
    }
  }

  const isText = (column) => column.type === "text" || column.type === "flag";
  const isLong = (column) => column.levels.some((level) => String(level).length > 24);
  const isEmpty = (column, row) =>
    isText(column) ? column.codes[row] === column.empty : Number.isNaN(column.values[row]);

  // Numbers -------------------------------------------------------------------------------------

  // The shortest text that is read as the same number, written as the harness writes its tables.
  function exactText(value, whole) {
    if (Number.isNaN(value)) return "";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    if (whole) return String(value);
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-5 || size >= 1e16)) return value.toExponential();
    const text = Object.is(value, -0) ? "-0" : String(value);
    return Number.isInteger(value) ? `${text}.0` : text;
  }

  function text(column, row) {
    if (!isText(column)) return exactText(column.values[row], column.type === "whole");
    const level = column.levels[column.codes[row]];
    return level === null ? "" : String(level);
  }

  function shown(column, row, allDigits) {
    if (isText(column)) return text(column, row);
    const value = column.values[row];
    if (Number.isNaN(value)) return "";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    const short = allDigits || column.type === "whole" ? value : Number(value.toPrecision(6));
    return String(short).replaceAll("-", "−");
  }

  const grouped = (count) => count.toLocaleString("en").replaceAll(",", "\u202f");

  function quoted(word) {
    return /[",\n\r]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word;
  }

  // Rows ----------------------------------------------------------------------------------------

  function chosenRows(state, rows) {
    const equal = [];
    for (const [column, level] of state.chosen) {
      if (isText(column)) equal.push((row) => column.codes[row] === level);
      else equal.push((row) => column.values[row] === level);
    }
    if (state.bound !== null && state.tested) {
      const { values } = state.tested;
      const test = TESTS[state.test];
      equal.push((row) => test(values[row], state.bound));
    }
    const found = [];
    for (let row = 0; row < rows; row += 1) if (equal.every((holds) => holds(row))) found.push(row);
    return found;
  }

  // Rows without a value stand last, whichever way the others are sorted.
  function sorted(found, column, descending) {
    const keys = isText(column) ? ranks(column) : column.values;
    const known = found.filter((row) => !isEmpty(column, row));
    const others = found.filter((row) => isEmpty(column, row));
    const sign = descending ? -1 : 1;
    known.sort((one, other) => {
      const first = keys[one];
      const second = keys[other];
      return first < second ? -sign : first > second ? sign : 0;
    });
    return known.concat(others);
  }

  function ranks(column) {
    const order = column.levels.map((level, code) => [String(level), code]);
    order.sort((one, other) => (one[0] < other[0] ? -1 : 1));
    const rank = [];
    order.forEach(([, code], place) => { rank[code] = place; });
    return Uint32Array.from(column.codes, (code) => rank[code]);
  }

  // The page ------------------------------------------------------------------------------------

  function option(value, words) {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = words;
    return made;
  }

  function addChoices(place, columns, names, change) {
    for (const name of names) {
      const column = columns.find((each) => each.name === name);
      const label = document.createElement("label");
      const select = document.createElement("select");
      const levels = isText(column)
        ? column.levels.map((level, code) => [code, level === null ? "none" : String(level)])
        : [...new Set(column.values)].map((value) => [value, String(value)]);
      select.append(option("", "all"), ...levels.map(([value, words]) => option(value, words)));
      select.name = name;
      select.dir = "auto";
      select.addEventListener("change", () => {
        change(column, select.value === "" ? null : Number(select.value));
      });
      label.append(`${name} `, select);
      place.append(label);
    }
  }

  async function begin(root, data) {
    if (data === null) return;
    const find = (name) => root.querySelector(`[data-${name}]`);
    const columns = await unpack(data.columns, data.rows);
    const visible = columns.filter((each) => !data.hidden.includes(each.name));
    const numeric = visible.filter((each) => !isText(each));
    const state = {
      chosen: new Map(), tested: numeric.find((each) => each.name === data.tested) ?? numeric[0], test: "at-least", bound: null,
      by: null, descending: false, first: 0, rows: [], allDigits: false,
    };

    function select() {
      state.rows = chosenRows(state, data.rows);
      if (state.by) state.rows = sorted(state.rows, state.by, state.descending);
      state.first = 0;
      for (const column of visible) {
        column.head.hidden = !state.rows.some((row) => !isEmpty(column, row));
      }
      show();
    }

    function show() {
      const last = Math.min(state.first + ROWS_OF_PAGE, state.rows.length);
      const body = document.createDocumentFragment();
      for (const row of state.rows.slice(state.first, last)) body.append(line(row));
      find("body").replaceChildren(body);
      find("status").textContent = state.rows.length
        ? `Rows ${grouped(state.first + 1)} to ${grouped(last)} of ${grouped(state.rows.length)}`
        : "No row meets the condition";
      find("previous").disabled = state.first === 0;
      find("next").disabled = last >= state.rows.length;
      find("download").disabled = state.rows.length === 0;
    }

    function line(row) {
      const made = document.createElement("tr");
      for (const column of visible) {
        if (column.head.hidden) continue;
        const cell = document.createElement("td");
        if (isText(column)) {
          cell.className = isLong(column) ? "long" : "text";
          cell.dir = "auto";
          cell.textContent = text(column, row);
        } else {
          cell.className = "number";
          const value = document.createElement("data");
          value.value = text(column, row);
          value.textContent = shown(column, row, state.allDigits);
          cell.append(value);
        }
        made.append(cell);
      }
      return made;
    }

    function sortBy(column) {
      state.descending = state.by === column && !state.descending;
      state.by = column;
      for (const { head } of visible) head.removeAttribute("aria-sort");
      column.head.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      select();
    }

    function turn(pages) {
      state.first = Math.max(0, state.first + pages * ROWS_OF_PAGE);
      show();
    }

    // A long table is written in steps, between which the page answers.
    async function download() {
      const button = find("download");
      button.disabled = true;
      const parts = [`${columns.map((each) => quoted(each.name)).join(",")}\n`];
      const { rows } = state;
      for (let from = 0; from < rows.length; from += ROWS_OF_CHUNK) {
        for (const row of rows.slice(from, from + ROWS_OF_CHUNK)) {
          parts.push(`${columns.map((each) => quoted(text(each, row))).join(",")}\n`);
        }
        await new Promise((done) => { setTimeout(done); });
      }
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
      link.download = data.download;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
      button.disabled = state.rows.length === 0;
    }

    for (const column of visible) {
      const head = document.createElement("th");
      head.scope = "col";
      head.className = isText(column) ? "text" : "number";
      head.dataset.column = column.name;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = column.name;
      button.addEventListener("click", () => sortBy(column));
      head.append(button);
      column.head = head;
      find("head").append(head);
    }
    find("caption").textContent = data.all;
    addChoices(find("choices"), columns, data.choices, (column, level) => {
      if (level === null) state.chosen.delete(column);
      else state.chosen.set(column, level);
      select();
    });
    find("name").append(...numeric.map((each, place) => option(place, each.name)));
    find("name").value = numeric.indexOf(state.tested);
    find("name").addEventListener("change", (event) => {
      state.tested = numeric[Number(event.target.value)];
      select();
    });
    find("test").addEventListener("change", (event) => {
      state.test = event.target.value;
      select();
    });
    find("bound").addEventListener("input", (event) => {
      state.bound = event.target.value === "" ? null : Number(event.target.value);
      select();
    });
    find("digits").addEventListener("change", (event) => {
      state.allDigits = event.target.checked;
      show();
    });
    find("previous").addEventListener("click", () => turn(-1));
    find("next").addEventListener("click", () => turn(1));
    find("download").addEventListener("click", download);
    root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    select();
  }

  report.on("cells", begin);
})();
