// One layout as a strip of cells in address order, and the cursor in it.

/**
 * The first and the last page that an order file packed: the longest run of startup functions without a gap of half a
 * page.
 */
function packedRegion(layout) {
  const ranges = union(layout.touches.filter((touch) => touch.cause === "startupFunctions")
                         .map((touch) => [touch.address, touch.address + touch.size + layout.pageSize / 2]));
  const longest = ranges.reduce((a, b) => (b[1] - b[0] > a[1] - a[0] ? b : a), [0, 0]);
  return longest[1] - longest[0] > 2 * layout.pageSize ?
    [longest[0], longest[1] - layout.pageSize / 2].map((end) => Math.floor(end / layout.pageSize)) :
    null;
}

class Strip {
  constructor(layout, map) {
    this.layout = layout;
    this.map = map;
    this.region = layout.side === "after" ? packedRegion(layout) : null;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    // What changes with the cursor is drawn above the cells, because drawing the cells takes longer.
    this.overlay = drawing("svg", { "aria-hidden": "true", class: "overlay" });
    this.slider = element(
      "div", {
        role: "slider",
        tabindex: 0,
        id: `strip-${layout.side}`,
        "aria-label": `Pages${layout.suffix}`,
        "aria-valuemin": 0,
        "aria-valuemax": Math.max(0, layout.pageCount - 1),
        "aria-valuenow": 0,
        "aria-valuetext": "no page chosen",
        "aria-describedby": "map-keys",
      },
      this.canvas, this.overlay);
    const title = layout.title ? `${layout.title}: ` : "";
    this.node = element(
      "div", { class: "strip" }, element("h3", {}, title, element("span", { class: "path" }, visible(layout.path))),
      note(this.summary), this.slider);
    this.slider.addEventListener("keydown", (event) => this.key(event));
    this.overlay.addEventListener("pointermove", (event) => this.map.hover(this.layout, this.cellAt(event)?.page ?? null));
    this.overlay.addEventListener("pointerleave", () => this.map.hover(null, null));
    this.overlay.addEventListener("click", (event) => {
      const cell = this.cellAt(event);
      this.slider.focus({ preventScroll: true });
      if (!cell) return;
      this.cell = cell;
      this.map.choose(this.layout, cell.page, true);
    });
  }
  get summary() {
    const { layout } = this;
    const predicted = `to touch ${counted(layout.predictedPages, "page")}`;
    return layout.method ?
      `A launch executes ${number(layout.executedPages)} of ${counted(layout.codePages, "page")} of code, measured. It is predicted ${predicted}.` :
      `A launch is predicted ${predicted}. ${counted(layout.codePages, "page")} ${layout.codePages === 1 ? "holds" : "hold"} code.`;
  }
  cellAt(event) { return this.grid.at(event.offsetX, event.offsetY); }
  /** The cell under the cursor. If cells are smaller than pages, several belong to the chosen page. */
  get cursor() {
    const { page, side } = this.map.state;
    if (side !== this.layout.side || page === null) return null;
    // A redraw at another width moves the cells: `this.cell` has the old place.
    const same = this.grid.cells[this.cell?.index];
    if (same && this.cell.page === page && same.start === this.cell.start) return same;
    return this.grid.cells[this.grid.cellOfPage.get(page)] ?? null;
  }
  key(event) {
    const { layout, grid, cursor } = this;
    const cells = grid.cells;
    const now = cursor?.page ?? -1;
    const beside = (count) => cursor ? cells[Math.max(0, Math.min(cells.length - 1, cursor.index + count))] : cells[0];
    const above = (rows) => cursor ? grid.beside(cursor, rows) : cells[0];
    const ofPage = (page) => cells[grid.cellOfPage.get(page)];
    const moves = {
      ArrowRight: () => beside(1),
      ArrowLeft: () => beside(-1),
      Home: () => cells[0],
      End: () => cells.at(-1),
      ArrowDown: () => above(1),
      ArrowUp: () => above(-1),
      PageDown: () => above(8),
      PageUp: () => above(-8),
      "]": () => ofPage(layout.touchedAfter(cursor ? this.lastPage(cursor) : -1)),
      "[": () => ofPage(layout.touchedBefore(now < 0 ? layout.pageCount : now)),
      Enter: () => cursor ?? cells[0],
      " ": () => cursor ?? cells[0],
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const cell = moves[event.key]();
    if (!cell) return;
    this.cell = cell;
    this.map.choose(layout, cell.page, event.key === "Enter" || event.key === " ");
    this.reveal();
  }
  lastPage(cell) { return Math.ceil(cell.end / this.layout.pageSize) - 1; }

  /** Scrolls so far that the cell under the cursor is seen, beside the drawer and the line that describes it. */
  reveal() {
    const cell = this.cursor;
    if (!cell) return;
    const top = this.slider.getBoundingClientRect().top + cell.y;
    const drawer = document.getElementById("drawer");
    const sheet = drawer.hidden ? innerHeight : drawer.getBoundingClientRect().top;
    const bottom = (sheet > 100 ? sheet : innerHeight) - this.map.readout.offsetHeight - 20;
    if (top < 90)
      scrollBy(0, top - 90);
    else if (top + HEIGHT > bottom)
      scrollBy(0, top + HEIGHT - bottom);
  }

  layOut(zoom, columns) {
    this.grid = new Grid(this.layout, zoom, columns, this.map.namesOfOwners);
    const { canvas, overlay, grid: { height } } = this;
    const width = columns * (WIDTH + GAP);
    this.scale = Math.min(2, devicePixelRatio || 1);
    [canvas.width, canvas.height] = [width * this.scale, height * this.scale];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    fill(overlay, { width, height, viewBox: `0 0 ${width} ${height}` }, []);
  }
  draw(pictures, colours) {
    const { grid, map } = this;
    const context = this.canvas.getContext("2d");
    context.scale(this.scale, this.scale);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = colours.quiet;
    for (const label of grid.labels) context.fillText(label.text, 0, label.top + LABEL / 2);
    context.font = "11px system-ui, sans-serif";
    for (const { text, x, top } of grid.names) context.fillText(text, x, top + NAMES / 2 - 1);
    for (const cell of grid.cells) {
      const tone = map.showsTime ? toneOf(cell.step, map.report.lastStep) : null;
      pictures.draw(context, cell.shape, cell.run / (cell.end - cell.start), tone, cell.x, cell.y);
      const mark = map.markOfOwner.get(cell.owner);
      if (mark != null) drawOwner(context, mark, cell.x, cell.y + HEIGHT + 1);
    }
    if (!this.region) return;
    const inRegion = (cell) => cell && cell.page >= this.region[0] && cell.page <= this.region[1];
    context.fillStyle = colours.ink;
    grid.cells.forEach((cell, index) => {
      if (!inRegion(cell)) return;
      const isFirst = !inRegion(grid.cells[index - 1]);
      const isLast = !inRegion(grid.cells[index + 1]);
      const start = isFirst ? cell.x - 1 : cell.x - GAP;
      context.fillRect(start, cell.y - 2, cell.x + WIDTH + (isLast ? 1 : 0) - start, 1);
      if (isFirst) context.fillRect(cell.x - 1, cell.y - 2, 1, HEIGHT + 2);
      if (isLast) context.fillRect(cell.x + WIDTH, cell.y - 2, 1, HEIGHT + 2);
    });
  }
  /**
   * Draws a ring at the cursor, dashed rings where its code is in the other layout, and corners at what was searched
   * for.
   */
  drawCursor(found, moved) {
    const { layout, grid, map: { state } } = this;
    const cellsOf = (pages) => [...new Set([...pages].map((page) => grid.cells[grid.cellOfPage.get(page)]).filter(Boolean))];
    const draw = (name, cells, shape) => cells.length > 0
      && drawing("path", { class: name, d: cells.map((cell) => `M${cell.x - 1} ${cell.y - 1}${shape}`).join("") });
    const ring = `h${WIDTH + 2}v${HEIGHT + 2}h-${WIDTH + 2}z`;
    const foundCells = cellsOf(found);
    this.overlay.replaceChildren(...[
      draw("found", foundCells, ring), draw("found corner", foundCells, "h7l-7 7z"), draw("moved", cellsOf(moved), ring),
      draw("cursor", this.cursor ? [this.cursor] : [], ring)
    ].filter(Boolean));
    const page = state.side === layout.side ? state.page : null;
    this.slider.setAttribute("aria-valuenow", page ?? 0);
    this.slider.setAttribute("aria-valuetext", page === null ? "no page chosen" : describePage(layout, page));
  }
}
