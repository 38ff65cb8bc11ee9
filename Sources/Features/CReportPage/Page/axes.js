// Drawings with axes.

const [LEFT, RIGHT, TOP, BOTTOM] = [48, 12, 24, 34];

/** The width of a letter and the height of a label, in pixels. */
const [LETTER, LABEL_HEIGHT] = [6.6, 14];

/** The space for the words at the ends of lines: at most a third of the drawing. */
const labelMargin = (width, words) => Math.min(width / 3, 24 + LETTER * largest(words.map((one) => one.length)));

/** Round steps of an axis from `least` to `most`; whole numbers, if the values are. */
function ticks(most, count = 5, least = 0, isWhole = false) {
  const raw = Math.max(isWhole ? 1 : 0, (most - least) / count) || 1;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * unit >= raw) * unit;
  const first = Math.ceil(least / step - 1e-9);
  return Array.from(
    { length: Math.max(0, Math.floor(most / step + 1e-9) - first + 1) }, (_, index) => Number(((first + index) * step).toFixed(9)));
}

/** A drawing with two axes; `x` and `y` convert values to coordinates. */
class Chart {
  constructor(
    label, width, mostX, mostY,
    { xTitle, yTitle, writeX = number, writeY = number, height = 260, leastY = 0, isWholeX = false, isWholeY = false, rightMargin = RIGHT }) {
    const [right, bottom] = [width - rightMargin, height - BOTTOM];
    Object.assign(this, { width, right, bottom, mostX });
    this.x = (value) => LEFT + (value / (mostX || 1)) * (right - LEFT);
    this.y = (value) => bottom - ((value - leastY) / (mostY - leastY || 1)) * (bottom - TOP);
    this.node = drawing(
      "svg", { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
      writeX
        && ticks(mostX, width > 600 ? 8 : 4, 0, isWholeX)
             .map(
               (value) =>
                 [drawing("path", { class: "axis", d: `M${this.x(value)} ${bottom}v4` }),
                  drawing("text", { x: this.x(value), y: bottom + 17, "text-anchor": "middle" }, writeX(value))]),
      ticks(mostY, 4, leastY, isWholeY)
        .map(
          (value) =>
            [drawing("path", { class: "axis", d: `M${LEFT} ${this.y(value)}H${right}` }),
             drawing("text", { x: LEFT - 6, y: this.y(value) + 4, "text-anchor": "end" }, writeY(value))]),
      drawing("text", { x: right, y: height - 2, "text-anchor": "end" }, xTitle),
      drawing("text", { x: 0, y: 9 }, yTitle));
  }
  /** A line that keeps its height until the next value. */
  steps(points, name) {
    const path = points.map(
      ([x, y], index) => (
        index ? `H${this.x(x).toFixed(1)}V${this.y(y).toFixed(1)}` :
                `M${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`));
    this.node.append(drawing("path", { class: `curve ${name}`, d: path.join("") + `H${this.x(this.mostX).toFixed(1)}` }));
  }
  /** Writes the words of lines after their ends, and moves them apart where the ends are close together. */
  endLabels(lines) {
    const placed = lines.map((line) => ({...line, end: this.y(line.value) })).sort((a, b) => a.end - b.end);
    placed.forEach((one, index) => (one.at = Math.max(one.end, index ? placed[index - 1].at + LABEL_HEIGHT : TOP)));
    placed.toReversed().forEach((one, index, all) => (one.at = Math.min(one.at, index ? all[index - 1].at - LABEL_HEIGHT : this.bottom)));
    const letters = Math.floor((this.width - this.right - 20) / LETTER);
    for (const { name, words, end, at } of placed)
      this.node.append(
        drawing("path", { class: `curve ${name}`, d: `M${this.right} ${end.toFixed(1)}L${this.right + 14} ${at.toFixed(1)}` }),
        drawing("text", { class: "label", x: this.right + 18, y: (at + 4).toFixed(1) },
                shortened(words, letters)));
  }
  /** Short lines at the bottom. */
  marks(places, name) {
    this.node.querySelector(`.${name}`)?.remove();
    if (places.length)
      this.node.append(
        drawing("path", { class: name, d: places.map((x) => `M${this.x(x).toFixed(1)} ${this.bottom}v-8`).join("") }));
  }
  cursor(x) {
    this.node.querySelector(".cursor")?.remove();
    if (x != null) this.node.append(drawing("path", { class: "cursor", d: `M${this.x(x)} ${TOP}V${this.bottom}` }));
  }
  /** Calls `found` with the value of the horizontal axis at a click. */
  onClick(found) {
    this.node.style.cursor = "crosshair";
    this.node.addEventListener("click", (event) => {
      const at = event.clientX - this.node.getBoundingClientRect().left;
      found((Math.max(0, at - LEFT) / (this.right - LEFT)) * this.mostX);
    });
  }
}

/** What the lines of a chart mean. */
const lineKey = (entries) => element(
  "ul", { class: "key" },
  entries.map(
    ([name, words]) => element(
      "li", {},
      drawing("svg", { class: "chart", width: 28, height: 8, "aria-hidden": "true" },
              drawing("path", { class: `curve ${name}`, d: "M0 4H28" })),
      words)));
