// The panels as one picture in a file: an SVG without style sheets, and a PNG of it.
const explorerSave = (() => {
  "use strict";
  const SPACE = "http://www.w3.org/2000/svg";
  const MARGIN = 16, SHARPER = 2;
  const STYLES = [
    "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity",
    "paint-order", "font-family", "font-size", "font-weight", "text-anchor",
  ];

  const { add } = explorerPictures;

  // A copy of a picture whose elements have the styles that they are seen with.
  function copyOf(svg) {
    const copy = svg.cloneNode(true);
    const [seen, copied] = [svg, copy].map((each) => [...each.querySelectorAll("*")]);
    seen.forEach((element, at) => {
      const look = getComputedStyle(element);
      for (const name of STYLES) {
        // A pattern is named by the file that is shown.
        const value = look.getPropertyValue(name).replace(/url\(.*(#[^")]+)"?\)/, "url($1)");
        copied[at].style.setProperty(name, value);
      }
      copied[at].removeAttribute("class");
    });
    return copy;
  }

  // The lines in which a text is seen, each where it stands.
  function writeText(parent, element, corner) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const look = getComputedStyle(node.parentElement);
      let line = null;
      for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.trimEnd().length);
        const box = range.getBoundingClientRect();
        if (!box.width) continue;
        if (!line || Math.abs(line.top - box.top) > 3) {
          const size = parseFloat(look.fontSize);
          const text = add(parent, "text", {
            x: box.left - corner.left, y: box.top - corner.top + box.height / 2 + 0.35 * size,
            fill: look.color, "font-family": look.fontFamily, "font-size": look.fontSize,
            "font-weight": look.fontWeight,
          }, "");
          line = { top: box.top, text };
        }
        line.text.textContent += word;
      }
    }
  }

  // A sign of the key: a box, hatched where it is so, or the broken line.
  function writeSign(parent, sign, corner, hatch) {
    const box = sign.getBoundingClientRect(), look = getComputedStyle(sign);
    const at = { x: box.left - corner.left, y: box.top - corner.top, width: box.width };
    const edge = parseFloat(look.borderTopWidth), stroke = look.borderTopColor;
    if (look.borderTopStyle === "dashed") {
      add(parent, "path", {
        d: `M${at.x} ${at.y + edge / 2}h${at.width}`, stroke, "stroke-width": edge, "stroke-dasharray": "7 4",
      });
      return;
    }
    const fill = look.backgroundImage === "none" ? look.backgroundColor : hatch;
    add(parent, "rect", { ...at, height: box.height, fill, stroke, "stroke-width": edge });
  }

  function drawing(desk, hatchId) {
    const panels = desk.querySelector(".panels"), key = desk.querySelector(".key");
    const boxes = [panels, key].map((each) => each.getBoundingClientRect());
    const corner = {
      left: Math.min(...boxes.map((each) => each.left)) - MARGIN,
      top: Math.min(...boxes.map((each) => each.top)) - MARGIN,
    };
    const width = Math.ceil(Math.max(...boxes.map((each) => each.right)) - corner.left + MARGIN);
    const height = Math.ceil(Math.max(...boxes.map((each) => each.bottom)) - corner.top + MARGIN);
    const whole = document.createElementNS(SPACE, "svg");
    whole.setAttribute("xmlns", SPACE);
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
      whole.setAttribute(name, value);
    }
    const paper = getComputedStyle(document.body).backgroundColor;
    add(whole, "rect", { width, height, fill: paper === "rgba(0, 0, 0, 0)" ? "white" : paper });
    const pattern = document.getElementById(hatchId).closest("svg");
    add(whole, "defs", {}).append(...copyOf(pattern).childNodes);
    for (const svg of panels.querySelectorAll("figure > svg")) {
      const box = svg.getBoundingClientRect(), copy = copyOf(svg);
      copy.setAttribute("x", box.left - corner.left);
      copy.setAttribute("y", box.top - corner.top);
      copy.setAttribute("width", box.width);
      copy.setAttribute("height", box.height);
      whole.append(copy);
    }
    panels.querySelectorAll("h3, .sentence, figcaption").forEach((each) => writeText(whole, each, corner));
    key.querySelectorAll("i").forEach((each) => writeSign(whole, each, corner, `url(#${hatchId})`));
    key.querySelectorAll("span").forEach((each) => writeText(whole, each, corner));
    return { text: new XMLSerializer().serializeToString(whole), width, height };
  }

  function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function pngOf({ text, width, height }) {
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SHARPER * width;
    canvas.height = SHARPER * height;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  // What is shown, as a file of this format; the name says the n and the p.
  async function save(desk, hatchId, format, name) {
    const made = drawing(desk, hatchId);
    const blob = format === "png" ? await pngOf(made) : new Blob([made.text], { type: "image/svg+xml" });
    download(blob, `${name}.${format}`);
    return blob;
  }

  return { save };
})();
