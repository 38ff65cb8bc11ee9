// The page map: each layout as a strip of cells in address order, one row of cells after the other, with a new row for each
// segment. A cell is a page, or what the zoom makes of it.
//
//   the shape says what touched it    full: predicted and executed; hatched: only predicted; dotted: only executed;
//                                     barred: only read or written; pale: nothing
//   the level says how much of it ran from the bottom up
//   the line below names the owner    the module or object file with the most bytes

const OWNER_COLOURS = ["#3b82c4", "#d9822b", "#4f9d4f", "#b5539c", "#8a6fd1", "#c2504d", "#2a9d9d", "#9a8a2e"];
const ZOOMS = [[512, "512 B"], [4096, "4 KiB"], [16384, "16 KiB"], [65536, "64 KiB"]];
const MOST_CELLS = 40000;
const [WIDTH, HEIGHT, GAP, LABEL] = [11, 14, 2, 20];

/** What a cell shows, from what is known of its bytes. */
function cellOf(layout, start, end) {
  const [first, last] = [Math.floor(start / layout.pageSize), Math.ceil(end / layout.pageSize)];
  const cell = { start, end, run: layout.runBytes(start, end), isPredicted: false, isExecuted: false, isRead: false };
  for (let page = first; page < last; page++) {
    const measured = layout.measuredPages.get(page) ?? [];
    cell.isExecuted ||= measured.some((touch) => touch.access === 0);
    cell.isRead ||= measured.some((touch) => touch.access !== 0);
    cell.isPredicted ||= layout.predictedPages.has(page);
  }
  if (end - start < layout.pageSize) cell.isPredicted = cell.run > 0;
  cell.owner = layout.pageOwners[first] ?? -1;
  cell.page = first;
  return cell;
}

const shapeOf = (cell, isMeasured) => cell.isPredicted && (cell.isExecuted || !isMeasured) ? "full" :
  cell.isPredicted                                                                         ? "hatched" :
  cell.isExecuted                                                                          ? "dotted" :
  cell.isRead                                                                              ? "barred" :
                                                                                             "pale";

const SHAPES = [
  ["full", "executed, as predicted"],
  ["hatched", "only predicted"],
  ["dotted", "only executed"],
  ["barred", "only read or written"],
  ["pale", "not touched"],
];

/** Where the cells of a layout are, in columns that both strips share. */
class Grid {
  constructor(layout, zoom, columns) {
    this.layout = layout;
    this.columns = columns;
    this.cells = [];
    this.labels = [];
    let [top, column, kind] = [0, 0, null];
    for (let start = 0; start < layout.end; start += zoom) {
      const end = Math.min(start + zoom, layout.end);
      const section = layout.sections.find((one) => one.address < end && one.address + one.size > start);
      const found = section?.kind ?? kind;
      if (found !== kind) {
        if (kind !== null) top += HEIGHT + GAP + 3 + 6;
        this.labels.push({ top, text: `${SEGMENTS[found] ?? ""} from ${layout.address(start)}` });
        [top, column, kind] = [top + LABEL, 0, found];
      } else if (column === columns)
        [top, column] = [top + HEIGHT + GAP + 3, 0];
      this.cells.push({...cellOf(layout, start, end), kind, x: column * (WIDTH + GAP), y: top });
      column++;
    }
    this.height = top + HEIGHT + GAP + 3;
    this.cellOfPage = new Map();
    this.cells.forEach((cell, index) => {
      for (let page = cell.page; page * layout.pageSize < cell.end; page++)
        if (!this.cellOfPage.has(page)) this.cellOfPage.set(page, index);
    });
  }
  at(x, y) {
    return this.cells.findIndex(
      (cell) => x >= cell.x - 1 && x < cell.x + WIDTH + 1 && y >= cell.y && y < cell.y + HEIGHT + 4);
  }
}

/** The first and the last page of what an order file packed: the longest run of startup functions without a gap of a page. */
function packedRegion(layout) {
  const ranges = union(layout.touches.filter((touch) => touch.cause === "startupFunctions")
                         .map((touch) => [touch.address, touch.address + touch.size + layout.pageSize / 2]));
  const longest = ranges.reduce((a, b) => (b[1] - b[0] > a[1] - a[0] ? b : a), [0, 0]);
  return longest[1] - longest[0] > 2 * layout.pageSize ?
    [longest[0], longest[1] - layout.pageSize / 2].map((end) => Math.floor(end / layout.pageSize)) :
    null;
}

function drawShape(context, shape, level, colours, x, y) {
  context.fillStyle = shape === "pale" ? colours.cell : shape === "barred" ? colours.paper : colours.touched;
  context.fillRect(x, y, WIDTH, HEIGHT);
  if (shape !== "pale" && level > 0) {
    context.fillStyle = colours.run;
    const height = Math.max(1, Math.round(level * HEIGHT));
    context.fillRect(x, y + HEIGHT - height, WIDTH, height);
  }
  context.save();
  context.beginPath();
  context.rect(x, y, WIDTH, HEIGHT);
  context.clip();
  context.lineWidth = 1.5;
  if (shape === "hatched") {
    context.strokeStyle = colours.paper;
    context.beginPath();
    for (let at = -HEIGHT; at < WIDTH; at += 5) {
      context.moveTo(x + at, y + HEIGHT);
      context.lineTo(x + at + HEIGHT, y);
    }
    context.stroke();
  } else if (shape === "dotted") {
    context.fillStyle = colours.ink;
    context.fillRect(x + WIDTH / 2 - 2, y + HEIGHT / 2 - 2, 4, 4);
  } else if (shape === "barred") {
    context.fillStyle = colours.read;
    for (const at of [1, 6, 11]) context.fillRect(x, y + at, WIDTH, 2);
  }
  context.restore();
}

class Strip {
  constructor(layout, map) {
    this.layout = layout;
    this.map = map;
    this.region = map.layouts.length > 1 && layout.side === "after" ? packedRegion(layout) : null;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    const executed = [...layout.measuredPages.keys()].filter((page) => layout.isExecuted(page)).length;
    const code = layout.sections.filter((section) => section.kind === CODE);
    const codePages = new Set(code.flatMap(
                                (section) => Array.from(
                                  {
                                    length: Math.ceil((section.address + section.size) / layout.pageSize)
                                      - Math.floor(section.address / layout.pageSize)
                                  },
                                  (_, index) => Math.floor(section.address / layout.pageSize) + index)))
                        .size;
    this.slider = element(
      "div", {
        role: "slider",
        tabindex: 0,
        id: `strip-${layout.side}`,
        "aria-label": `Pages ${layout.side}`,
        "aria-valuemin": 0,
        "aria-valuemax": Math.max(0, layout.pageCount - 1),
        "aria-valuenow": 0,
        "aria-valuetext": "no page chosen",
        "aria-describedby": "map-keys",
      },
      this.canvas);
    this.node = element(
      "div", { class: "strip" }, element("h3", {}, map.layouts.length > 1 ? `${layout.title}: ${layout.path}` : layout.path),
      element(
        "p", { class: "quiet" },
        layout.method ? `A launch executes ${number(executed)} of ${counted(codePages, "page")} of code. Predicted: ${
                          number(layout.predictedPages.size)}.` :
                        `A launch is predicted to touch ${number(layout.predictedPages.size)} of ${
                          counted(codePages, "page")} of code.`),
      this.slider);
    this.slider.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("pointermove", (event) => this.map.hover(this.layout, this.pageAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.map.hover(null, null));
    this.canvas.addEventListener("click", (event) => {
      const page = this.pageAt(event);
      if (page !== null) this.map.choose(this.layout, page, true);
      this.slider.focus({ preventScroll: true });
    });
  }
  pageAt(event) {
    const index = this.grid.at(event.offsetX, event.offsetY);
    return index < 0 ? null : this.grid.cells[index].page;
  }
  key(event) {
    const { layout, grid } = this;
    const now = this.map.state.side === layout.side ? this.map.state.page : null;
    const cell = grid.cellOfPage.get(now ?? 0) ?? 0;
    const to = (index) => grid.cells[Math.max(0, Math.min(grid.cells.length - 1, index))]?.page ?? 0;
    const touched = layout.touchedPages;
    const moves = {
      ArrowRight: () => to(cell + 1),
      ArrowLeft: () => to(cell - 1),
      Home: () => 0,
      End: () => layout.pageCount - 1,
      ArrowDown: () => to(cell + grid.columns),
      ArrowUp: () => to(cell - grid.columns),
      PageDown: () => to(cell + 8 * grid.columns),
      PageUp: () => to(cell - 8 * grid.columns),
      "]": () => touched.find((page) => page > (now ?? -1)) ?? now,
      "[": () => touched.findLast((page) => page < (now ?? Infinity)) ?? now,
      Enter: () => now ?? 0,
      " ": () => now ?? 0,
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const page = moves[event.key]();
    if (page != null) this.map.choose(layout, page, event.key === "Enter" || event.key === " ");
  }
  /** Draws everything: a few milliseconds for as many cells as fit on a screen. */
  draw(colours, hits, moved) {
    const { layout, grid, canvas, map: { state } } = this;
    const scale = Math.min(2, devicePixelRatio || 1);
    const width = grid.columns * (WIDTH + GAP);
    [canvas.width, canvas.height] = [width * scale, grid.height * scale];
    canvas.style.width = `${width}px`;
    canvas.style.height = `${grid.height}px`;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = colours.quiet;
    for (const label of grid.labels) context.fillText(label.text, 0, label.top + LABEL / 2);
    for (const cell of grid.cells) {
      drawShape(
        context, shapeOf(cell, Boolean(layout.method)), cell.run / (cell.end - cell.start), colours, cell.x, cell.y);
      const owner = this.map.ownerColours.get(cell.owner);
      if (owner) {
        context.fillStyle = owner;
        context.fillRect(cell.x, cell.y + HEIGHT + 1, WIDTH, 2);
      }
      if (this.region && cell.page >= this.region[0] && cell.page <= this.region[1])
        this.bracket(context, cell, colours);
    }
    context.lineWidth = 2;
    const ring = (page, colour, dash = []) => {
      const cell = grid.cells[grid.cellOfPage.get(page)];
      if (!cell) return;
      context.strokeStyle = colour;
      context.setLineDash(dash);
      context.strokeRect(cell.x - 1, cell.y - 1, WIDTH + 2, HEIGHT + 2);
    };
    for (const page of hits) ring(page, colours.found);
    for (const page of moved) ring(page, colours.ink, [2, 2]);
    if (state.page !== null) ring(state.page, state.side === layout.side ? colours.ink : colours.quiet);
    const page = state.side === layout.side ? state.page : null;
    this.slider.setAttribute("aria-valuenow", page ?? 0);
    this.slider.setAttribute("aria-valuetext", page === null ? "no page chosen" : describePage(layout, page));
  }
  /** The sides of the packed region, above its cells. */
  bracket(context, cell, colours) {
    context.fillStyle = colours.ink;
    context.fillRect(
      cell.x - (cell.page > this.region[0] ? GAP : 0), cell.y - 2, WIDTH + (cell.page > this.region[0] ? GAP : 0), 1);
    if (cell.page === this.region[0]) context.fillRect(cell.x - 1, cell.y - 2, 1, HEIGHT + 2);
    if (cell.page === this.region[1]) context.fillRect(cell.x + WIDTH, cell.y - 2, 1, HEIGHT + 2);
  }
}

/** A page in one line. */
function describePage(layout, page) {
  const section = layout.sectionOfPage(page);
  const measured = layout.measuredPages.get(page) ?? [];
  const how = measured.length ?
    ACCESSES.filter((_, access) => measured.some((touch) => touch.access === access)).join(", ") :
    null;
  const isPredicted = layout.predictedPages.has(page);
  const touch = how && isPredicted ? `${how}, as predicted` : how ?? (isPredicted ? "only predicted" : "not touched");
  const run = layout.runBytes(page * layout.pageSize, (page + 1) * layout.pageSize);
  const owner = layout.ownerName(page);
  const first = measured[0] && ` First by ${visible(measured[0].name)}.`;
  return `${layout.title}, page ${layout.address(page * layout.pageSize)}, ${section?.name ?? "no section"}: ${touch}`
    + (section?.kind === CODE ? `; ${counted(run, "byte")} of startup code` : "")
    + (owner ? `; mostly ${visible(owner)}.` : ".") + (first ?? "");
}

class PageMap {
  constructor(layouts, state) {
    this.layouts = layouts;
    this.state = state;
    const most = Math.max(...layouts.map((layout) => layout.end));
    this.zooms = ZOOMS.filter(([bytes]) => most / bytes <= MOST_CELLS && (bytes >= 4096 || most / bytes <= 20000));
    if (!this.zooms.some(([bytes]) => bytes === state.zoom)) state.zoom = null;
    this.strips = layouts.map((layout) => new Strip(layout, this));
    this.readout = element("p", { class: "readout" });
    this.ownerColours = this.chooseOwners();
    this.node = view(
      "map", "Page map",
      element(
        "p", { class: "quiet", id: "map-keys" },
        "Each cell is a page. Arrow keys move the cursor, [ and ] go to the touched page before " +
          "and after, Enter opens a page. Dashed rings: where the functions of the chosen page are in the other layout."),
      element(
        "div", { class: "tools" },
        choice(
          "Zoom", "zoom", this.zooms.map(([bytes, title]) => [bytes, title]), this.zoom,
          (zoom) => state.set({ zoom }))),
      this.key(), ...this.strips.map((strip) => strip.node), this.readout,
      ...layouts.map(
        (layout) => tableBeside(`touched pages ${layout.side}`, this.columns(layout), () => layout.touchedPages)));
    state.listen((_, before) => this.draw(before.zoom !== state.zoom));
    new ResizeObserver(() => this.draw(true)).observe(this.node);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(false));
  }
  get zoom() {
    return this.state.zoom ?? (this.zooms.find(([bytes]) => bytes >= this.layouts[0].pageSize) ?? this.zooms.at(-1))[0];
  }

  /** Colours for the owners with the most startup bytes: a line below each cell, beside the names that the drawer gives. */
  chooseOwners() {
    const bytes = new Map();
    for (const layout of this.layouts)
      for (const one of layout.functions)
        if (one.owner >= 0 && one.step < Infinity)
          bytes.set(one.owner, [one.ownerName, (bytes.get(one.owner)?.[1] ?? 0) + one.size]);
    const largest = [...bytes].sort((a, b) => b[1][1] - a[1][1]).slice(0, OWNER_COLOURS.length);
    this.owners = largest.length > 1 ?
      largest.map(([owner, [name]], index) => ({ owner, name, colour: OWNER_COLOURS[index] })) :
      [];
    return new Map(this.owners.map(({ owner, colour }) => [owner, colour]));
  }
  key() {
    this.samples = SHAPES.map(([shape]) => element("canvas", {
                                width: WIDTH * 2,
                                height: HEIGHT * 2,
                                "aria-hidden": "true",
                                style: `width:${WIDTH}px;height:${HEIGHT}px`,
                                "data-shape": shape
                              }));
    const isMeasured = this.layouts.some((layout) => layout.method);
    return element(
      "div", {},
      element(
        "ul", { class: "key", "aria-label": "Key" },
        SHAPES.map(
          ([shape, words], index) => (isMeasured || shape === "full" || shape === "pale")
            && element("li", {}, this.samples[index],
                       isMeasured         ? words :
                         shape === "full" ? "predicted" :
                                            words)),
        element("li", {}, "level: share of startup code"),
        this.layouts.length > 1 && element("li", {}, "bracket: packed by the order file")),
      this.owners.length > 0
        && element(
          "ul", { class: "key", "aria-label": "Owners, by the line below a cell" },
          this.owners.map(
            ({ name, colour }) => element(
              "li", {},
              drawing(
                "svg", { width: 11, height: 4, "aria-hidden": "true" },
                drawing("rect", { width: 11, height: 4, fill: colour })),
              visible(name)))));
  }
  columns(layout) {
    const measured = (page, access) => layout.measuredPages.get(page)?.some((touch) => touch.access === access);
    return [
      column(
        "page", (page) => layout.address(page * layout.pageSize), { show: (page) => pageButton(this, layout, page) }),
      column("section", (page) => layout.sectionOfPage(page)?.name ?? ""),
      column("predicted", (page) => (layout.predictedPages.has(page) ? "yes" : "no")),
      column("measured", (page) => ACCESSES.filter((_, access) => measured(page, access)).join(", ") || "no"),
      column(
        "startup bytes", (page) => number(layout.runBytes(page * layout.pageSize, (page + 1) * layout.pageSize)),
        { kind: "number" }),
      column("first by", (page) => layout.measuredPages.get(page)?.[0].name ?? "", { kind: "name" }),
    ];
  }
  choose(layout, page, opens = false) {
    this.state.set({
      side: layout.side,
      page,
      pageAddress: layout.address(page * layout.pageSize),
      isOpen: opens || this.state.isOpen
    });
  }
  hover(layout, page) {
    const { state } = this;
    const chosen = this.layouts.find((one) => one.side === state.side);
    this.readout.textContent = layout && page !== null ? describePage(layout, page) :
      chosen && state.page !== null                    ? describePage(chosen, state.page) :
                                                         "Point at a cell, or move to one with the arrow keys.";
  }
  /** The pages of the other layout that hold the startup functions of the chosen page. */
  movedPages(layout) {
    const chosen = this.layouts.find((one) => one.side === this.state.side);
    if (!chosen || layout === chosen || this.state.page === null) return [];
    const names
      = new Set(chosen.functionsOnPage(this.state.page).filter((one) => one.step < Infinity).map((one) => one.symbol));
    return [...new Set(layout.functions.filter((one) => one.step < Infinity && names.has(one.symbol))
                         .map((one) => Math.floor(one.address / layout.pageSize)))];
  }
  draw(isResized) {
    const width = this.node.clientWidth;
    if (!width) return;
    const style = getComputedStyle(document.documentElement);
    const probe = element("i", { hidden: true });
    document.body.append(probe);
    const colours
      = Object.fromEntries(["paper", "ink", "quiet", "cell", "touched", "run", "read", "found"].map((name) => {
          probe.style.color = style.getPropertyValue(`--${name}`);
          return [name, getComputedStyle(probe).color];
        }));
    probe.remove();
    const columns = Math.max(8, Math.floor((width - 2) / (WIDTH + GAP)));
    for (const strip of this.strips) {
      if (isResized || !strip.grid) strip.grid = new Grid(strip.layout, this.zoom, columns);
      strip.draw(colours, foundPages(strip.layout, this.state.find), this.movedPages(strip.layout));
    }
    for (const sample of this.samples) {
      const context = sample.getContext("2d");
      context.setTransform(2, 0, 0, 2, 0, 0);
      drawShape(
        context, sample.dataset.shape,
        sample.dataset.shape === "full"      ? 0.6 :
          sample.dataset.shape === "hatched" ? 0.4 :
                                               0,
        colours, 0, 0);
    }
    this.hover(null, null);
  }
}

const foundFunctions = (layout, text) => {
  const wanted = text.trim().toLowerCase();
  return wanted ? layout.functions.filter(
                    (one) => one.name.toLowerCase().includes(wanted) || one.symbol.toLowerCase().includes(wanted)
                      || one.ownerName.toLowerCase().includes(wanted)) :
                  [];
};
const foundPages
  = (layout, text) => [...layout.group(foundFunctions(layout, text), (one) => [one.address, one.end]).keys()];

const pageButton = (map, layout, page) => element(
  "button", { class: "link code", type: "button", onclick: () => map.choose(layout, page, true) },
  layout.address(page * layout.pageSize));
