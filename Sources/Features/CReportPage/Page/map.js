// The page map: each layout as a strip of cells, with a common cursor, zoom and key.

/** The number of columns on paper, whatever the width of the screen is. */
const PRINTED_COLUMNS = 55;

class PageMap {
  constructor(report, state) {
    const { layouts } = report;
    Object.assign(this, { report, layouts, state });
    const most = largest(layouts.map((layout) => layout.end));
    const isThinned = report.stored.limits.length > 0;
    this.zooms = ZOOMS.filter(
      ([bytes]) => most / bytes <= MOST_CELLS
        && (bytes >= report.pageSizeBytes || (!isThinned && most / bytes <= MOST_CELLS / 2)));
    if (!this.zooms.length) this.zooms = [ZOOMS.at(-1)];
    this.chooseOwners();
    this.strips = layouts.map((layout) => new Strip(layout, this));
    this.readout = element("p", { class: "readout" });
    this.area = element("div", {}, this.strips.map((strip) => strip.node));
    this.tools = element(
      "div", { class: "tools" },
      choice(
        "A cell is", "zoom", this.zooms.map(([bytes, title]) => [bytes, title]), this.zoom,
        (zoom) => state.set({ zoom: String(zoom) })),
      choice(
        "Colour", "colour", [["touch", "what touched it"], ["time", "when it was touched first"]], this.colour,
        (colour) => state.set({ colour })));
    const other = layouts.length > 1 && note("Dashed rings: where the functions of the chosen page are in the other layout.");
    this.node = view(
      "map", "Page map",
      element(
        "p", { class: "quiet keys", id: "map-keys" },
        "Arrow keys move the cursor, [ and ] go to the touched page before and after, Enter opens a page."),
      other,
      this.tools, this.key(), this.area, this.readout,
      ...layouts.map((layout) => tableBeside(`touched pages${layout.suffix}`, this.columns(layout), () => layout.touchedPages)));
    const redraw = drawnToWidth(this.area, (width) => this.draw(width));
    state.listen((_, before) => {
      if (state.zoom !== before.zoom) showChoice(this.tools, "zoom", this.zoom);
      if (state.colour !== before.colour) showChoice(this.tools, "colour", this.colour);
      if (state.zoom !== before.zoom || state.colour !== before.colour)
        redraw();
      else
        this.drawCursor();
    });
    redrawnForColours(redraw, (isPrinting) => (this.isPrinting = isPrinting));
  }
  get zoom() {
    const chosen = this.zooms.find(([bytes]) => bytes === Number(this.state.zoom));
    return (chosen ?? this.zooms.find(([bytes]) => bytes >= this.report.pageSizeBytes) ?? this.zooms.at(-1))[0];
  }
  get colour() { return this.state.colour === "time" ? "time" : "touch"; }
  get showsTime() { return this.colour === "time"; }

  /** Chooses marks for the owners with the most startup bytes in either layout. */
  chooseOwners() {
    const bytes = new Map();
    for (const layout of this.layouts)
      for (const one of layout.functions)
        if (one.step < Infinity) {
          const owner = layout.ownerIndex(one.owner);
          bytes.set(owner, (bytes.get(owner) ?? 0) + one.size);
        }
    const total = [...bytes.values()].reduce((sum, size) => sum + size, 0);
    this.unknownShare = total ? (bytes.get(-1) ?? 0) / total : 0;
    const most = [...bytes].filter(([owner]) => owner >= 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, OWNER_MARKS.length);
    this.owners = most.length > 1 ?
      most.map(([owner], mark) => ({ owner, mark, name: this.report.names[owner] })) :
      [];
    this.namesOfOwners = new Map(this.owners.map(({ owner, name }) => [owner, visible(name)]));
    this.markOfOwner = new Map(this.owners.map(({ owner, mark }) => [owner, mark]));
  }
  key() {
    const isMeasured = this.layouts.some((layout) => layout.method);
    this.samples = [];
    const entry = (draw, words) => {
      const one = sample(draw);
      this.samples.push(one);
      return element("li", {}, one.canvas, words);
    };
    const shapes = isMeasured ? SHAPES : ["full", "pale"];
    const level = { full: 0.6, hatched: 0.4 };
    this.isMeasured = isMeasured;
    this.shapeWords = shapes.map(() => element("span"));
    this.severalPages = element("li", {}, "a cell of several pages: the first of these that holds for one of them");
    const tones = ["1 tick: first fifth of the first uses", "2: second", "3: third", "4: fourth", "5: last"];
    this.toneKey = element(
      "ul", { class: "key", "aria-label": "Key to the time of the first touch" },
      tones.map((words, tone) => entry((context, pictures) => pictures.draw(context, "full", 1, tone, 0, 0), words)));
    return element(
      "div", {},
      element(
        "ul", { class: "key", "aria-label": "Key" },
        shapes.map(
          (shape, index) => entry(
            (context, pictures) => pictures.draw(context, shape, level[shape] ?? 0, this.showsTime ? 2 : null, 0, 0),
            this.shapeWords[index])),
        this.severalPages, element("li", {}, "level: share of startup code"),
        this.strips.some((strip) => strip.region) && element("li", {}, "bracket: longest run of startup code")),
      this.toneKey,
      this.owners.length > 0
        && element(
          "ul", { class: "key", "aria-label": "Owners, by the line below a cell" },
          this.owners.map(({ name, mark }) => entry((context) => drawOwner(context, mark, 0, 6), visible(name))),
          element(
            "li", {},
            this.unknownShare > 0 ? `no line: unknown (${percent(this.unknownShare, 0)} of the startup bytes) or another owner` :
                                    "no line: another owner",
            this.unknownShare > 0.25 && "; link maps state more owners than symbol tables")));
  }
  /** Describes the shapes at this zoom. */
  tellShapes() {
    const { isMeasured, zoom, report: { pageSizeBytes } } = this;
    const words = !isMeasured ? { full: "predicted", pale: "not touched" } : zoom < pageSizeBytes ? PART_WORDS : SHAPE_WORDS;
    (isMeasured ? SHAPES : ["full", "pale"]).forEach((shape, index) => (this.shapeWords[index].textContent = words[shape]));
    this.severalPages.hidden = !isMeasured || zoom <= pageSizeBytes;
  }
  columns(layout) {
    const measured = (page, access) => layout.measuredPages.get(page)?.some((touch) => touch.access === access);
    const { report } = this;
    const first = (page) => layout.cells.get(page);
    return [
      column("page", (page) => layout.pageAddress(page), { show: (page) => pageButton(this, layout, page) }),
      column("section", (page) => layout.sectionOfPage(page)?.name ?? ""),
      column("owner", (page) => layout.ownerName(page) ?? ""),
      column("predicted", (page) => (layout.isPredicted(page) ? "yes" : "no")),
      column("measured", (page) => ACCESSES.filter((_, access) => measured(page, access)).join(", ") || "no"),
      column("startup bytes", (page) => number(layout.bytesOfPage(page)), { kind: "number" }),
      column("first use", (page) => (first(page) ? "#" + number(first(page).step + 1) : ""), { kind: "number" }),
      report.timeOfStep.size > 0
        && column("ms", (page) => (first(page) ? (report.timeAt(first(page).step) / 1000).toFixed(2) : ""), { kind: "number" }),
      column("first by", (page) => layout.measuredPages.get(page)?.[0].name ?? "", { kind: "name" }),
    ].filter(Boolean);
  }
  choose(layout, page, opens = false) {
    this.state.set({
      side: layout.side,
      page,
      pageAddress: layout.pageAddress(page),
      isOpen: opens || this.state.isOpen,
    });
  }
  hover(layout, page) {
    const { state } = this;
    const chosen = this.report.layoutOf(state.side);
    this.readout.textContent = layout && page !== null ? describePage(layout, page) :
      chosen && state.page !== null                    ? describePage(chosen, state.page) :
                                                         "";
  }
  /** The pages of a layout that hold the startup functions of the page that is chosen in the other. */
  movedPages(layout) {
    const { side, page } = this.state;
    const chosen = this.report.layoutOf(side);
    if (!chosen || layout === chosen || page === null) return [];
    const names = new Set(chosen.usedOnPage(page).map((one) => one.number));
    const pages = layout.functions.filter((one) => one.step < Infinity && names.has(one.number))
                    .map((one) => Math.floor(one.address / layout.pageSize));
    return [...new Set(pages)];
  }
  draw(width) {
    const colours = readColours();
    const pictures = new CellPictures(colours, 2);
    const columns = this.isPrinting ? PRINTED_COLUMNS : Math.max(8, Math.floor((width - 2) / (WIDTH + GAP)));
    for (const strip of this.strips) {
      strip.layOut(this.zoom, columns);
      strip.draw(pictures, colours);
    }
    this.toneKey.hidden = !this.showsTime;
    this.tellShapes();
    for (const one of this.samples) one.redraw(pictures);
    this.drawCursor();
  }
  drawCursor() {
    for (const strip of this.strips)
      if (strip.grid) strip.drawCursor(this.search?.pages(strip.layout) ?? [], this.movedPages(strip.layout));
    this.hover(null, null);
  }
}

const pageButton = (map, layout, page) => element(
  "button", { class: "link code", type: "button", onclick: () => map.choose(layout, page, true) }, layout.pageAddress(page));
