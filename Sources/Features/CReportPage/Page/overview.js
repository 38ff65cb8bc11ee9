// The first picture of the page: each layout as a few rows of small cells in address order, for the whole image.

const PITCHES = [13, 10, 8, 6, 5];
const MOST_OVERVIEW_ROWS = 6;
const MOST_PHONE_ROWS = 10;

/** What a cell of the overview shows: executed, or predicted if nothing was measured; read or written; or nothing. */
function overviewShape(layout, start, end) {
  let shape = "pale";
  for (let page = start; page < end; page++) {
    if (layout.method ? layout.isExecuted(page) : layout.isPredicted(page)) return "full";
    if (layout.measuredPages.has(page)) shape = "read";
  }
  return shape;
}

/**
 * The cells of a layout, in rows, and the number of rows. A cell is one page or several, and a gap is between segments of
 * two kinds.
 */
function overviewGrid(layout, pagesPerCell, columns) {
  const cells = [];
  let [place, kind] = [0, layout.kinds[0]];
  for (let start = 0; start < layout.pageCount;) {
    let end = Math.min(layout.pageCount, start + pagesPerCell);
    if (layout.kinds[start] !== kind) {
      kind = layout.kinds[start];
      if (place % columns) place++;
    }
    for (let next = start + 1; next < end; next++)
      if (layout.kinds[next] !== kind) end = next;
    cells.push({ start, column: place % columns, row: Math.floor(place / columns), shape: overviewShape(layout, start, end) });
    place++;
    start = end;
  }
  return { cells, rows: Math.floor((place - 1) / columns) + 1 };
}

class Overview {
  constructor(report, map, state) {
    Object.assign(this, { report, map, state });
    this.pictures = report.layouts.map((layout) => this.picture(layout));
    this.key = element("ul", { class: "key", "aria-label": "Key to the small maps" });
    this.area = element("div", {}, this.pictures.map(({ node }) => node));
    this.node = element("div", { class: "overview" }, this.area, this.key);
    redrawnForColours(drawnToWidth(this.area, (width) => this.draw(width)));
  }
  picture(layout) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    const node = element(
      "a", { href: "#map" },
      element("span", { class: "words" }, layout.title && element("b", {}, layout.title), overviewWords(layout), element("span", { class: "path" }, visible(layout.path))),
      canvas);
    const picture = { layout, canvas, node };
    node.addEventListener("click", (event) => {
      event.preventDefault();
      // A click by a key has no place.
      const box = canvas.getBoundingClientRect();
      const [column, row] = [event.clientX - box.left, event.clientY - box.top].map((one, axis) => Math.floor(one / (axis ? this.rowPitch : this.pitch)));
      const cell = event.detail > 0 ? picture.grid.cells.find((one) => one.column === column && one.row === row) : null;
      if (cell) this.map.choose(layout, cell.start);
      this.state.set({ view: "map" });
      reach("map");
    });
    return picture;
  }
  /** Chooses the largest cells with which all layouts fit into a few rows. */
  draw(width) {
    const { report: { layouts }, pictures } = this;
    const most = largest(layouts.map((layout) => layout.pageCount), 1);
    const mostRows = (width < 600 ? MOST_PHONE_ROWS : MOST_OVERVIEW_ROWS) * (layouts.length > 1 ? 1 : 2);
    const fits = (pitch, pagesPerCell) => Math.ceil(most / pagesPerCell / Math.floor(width / pitch)) + 1 <= mostRows;
    let pagesPerCell = 1;
    while (!fits(PITCHES.at(-1), pagesPerCell)) pagesPerCell *= 2;
    this.pitch = PITCHES.find((pitch) => fits(pitch, pagesPerCell));
    this.rowPitch = Math.round(this.pitch * 1.3);
    const columns = Math.floor(width / this.pitch);
    const colours = readColours();
    for (const picture of pictures) {
      picture.grid = overviewGrid(picture.layout, pagesPerCell, columns);
      this.drawCells(picture, columns, colours);
    }
    this.tellKey(pagesPerCell, colours);
  }
  drawCells({ canvas, grid }, columns, colours) {
    const [width, height] = [columns * this.pitch, grid.rows * this.rowPitch];
    [canvas.width, canvas.height] = [width * 2, height * 2];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    const context = canvas.getContext("2d");
    context.scale(2, 2);
    for (const { column, row, shape } of grid.cells) this.drawCell(context, shape, column * this.pitch, row * this.rowPitch, colours);
  }
  /** Shapes differ by height, too: an executed cell is filled, and a read one in its lower half. */
  drawCell(context, shape, x, y, colours) {
    const [width, height] = [this.pitch - 1, this.rowPitch - 2];
    context.fillStyle = colours.cell;
    context.fillRect(x, y, width, height);
    context.strokeStyle = colours.edge;
    context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    if (shape === "pale") return;
    const filled = shape === "full" ? height : Math.ceil(height / 2);
    context.fillStyle = shape === "full" ? colours.run : colours.read;
    context.fillRect(x, y + height - filled, width, filled);
  }
  tellKey(pagesPerCell, colours) {
    const { layouts, pageSizeBytes } = this.report;
    const isMeasured = layouts.every((layout) => layout.method);
    const entry = (shape, words) => {
      const canvas = element("canvas", { width: this.pitch * 2, height: this.rowPitch * 2, style: `width:${this.pitch}px;height:${this.rowPitch}px`, "aria-hidden": "true" });
      const context = canvas.getContext("2d");
      context.scale(2, 2);
      this.drawCell(context, shape, 0, 0, colours);
      return element("li", {}, canvas, words);
    };
    this.key.replaceChildren(...[
      entry("full", isMeasured ? "executed" : "predicted to be touched"),
      layouts.some((layout) => layout.method) && entry("read", "only read or written"), entry("pale", "not touched"),
      element("li", {}, pagesPerCell > 1 ? `a cell is ${number(pagesPerCell)} pages of ${byteCount(pageSizeBytes)}` : `a cell is a page of ${byteCount(pageSizeBytes)}`)
    ].filter(Boolean));
  }
}

const overviewWords = (layout) => layout.method ?
  ` ${number(layout.executedPages)} of ${counted(layout.codePages, "page")} of code executed` :
  ` ${number(layout.predictedPages)} of ${counted(layout.codePages, "page")} of code touched, predicted`;
