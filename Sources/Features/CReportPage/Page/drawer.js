// The drawer: one page, what is on it, why a launch touches it, and what would save it.

/** The bytes of a page: its functions, and above them the bytes that run. */
function byteStrip(layout, page) {
  const [start, end] = [page * layout.pageSize, (page + 1) * layout.pageSize];
  const least = layout.pageSize / 512;
  const box = (range, y, height, name) => {
    const from = Math.max(start, range[0]);
    return drawing(
      "rect", { x: from - start, y, width: Math.max(least, Math.min(end, range[1]) - from), height, class: name });
  };
  const functions = layout.functionsOnPage(page);
  return drawing(
    "svg", {
      class: "bytes",
      viewBox: `0 0 ${layout.pageSize} 40`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${counted(functions.length, "function")} on the page, ${
        counted(layout.usedOnPage(page).length, "startup function")}`
    },
    drawing("rect", { class: "gap", width: layout.pageSize, height: 26, y: 14, opacity: 0.5 }),
    functions.map((one) => box([one.address, one.end], 14, 26, one.step < Infinity ? "function runs" : "function")),
    layout.runs.filter(([from, to]) => from < end && to > start).map((range) => box(range, 0, 10, "run")));
}

class Drawer {
  constructor(report, map, state) {
    Object.assign(this, { report, map, state, node: document.getElementById("drawer") });
    state.listen((_, before) => {
      if (state.page !== before.page || state.side !== before.side || state.isOpen !== before.isOpen) this.show();
      if (!state.isOpen || before.isOpen || this.node.hidden) return;
      this.opener = document.activeElement;
      this.node.querySelector("h2")?.focus({ preventScroll: true });
      // Waits until the map is redrawn at its new width.
      requestAnimationFrame(() => requestAnimationFrame(
        () => map.strips.find((strip) => strip.layout.side === state.side)?.reveal()));
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !state.isOpen) return;
      event.preventDefault();
      this.close();
    });
    this.node.addEventListener("keydown", (event) => {
      const turn = { "[": "touchedBefore", "]": "touchedAfter" }[event.key];
      if (!turn || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const page = this.layout[turn](state.page);
      if (page != null) map.choose(this.layout, page, true);
    });
  }
  get layout() { return this.report.layoutOf(this.state.side); }

  /** Closes the drawer. The focus goes back to the element that opened it, or to the map if that element is gone. */
  close() {
    this.state.set({ isOpen: false });
    const opener = this.opener?.isConnected && this.opener !== document.body ? this.opener : null;
    (opener ?? document.getElementById(`strip-${this.state.side}`))?.focus({ preventScroll: true });
  }
  show() {
    const { state, layout } = this;
    this.node.hidden = !state.isOpen || state.page === null || !layout;
    document.body.classList.toggle("has-drawer", !this.node.hidden);
    if (this.node.hidden) return;
    const focused = this.node.contains(document.activeElement) ? document.activeElement : null;
    this.node.replaceChildren(...this.content(layout, state.page));
    if (!focused) return;
    // The focused element was replaced: focus the new button with the same label, if it can be pressed, else the
    // heading.
    const label = focused.getAttribute("aria-label");
    const same = label && [...this.node.querySelectorAll("button")].find(
      (one) => one.getAttribute("aria-label") === label && !one.disabled);
    (same || this.node.querySelector("h2")).focus({ preventScroll: true });
  }
  content(layout, page) {
    const { map, report } = this;
    const functions = layout.functionsOnPage(page);
    const sentences = reasons(layout, page, report.documents.diff);
    const section = layout.sectionOfPage(page);
    const other = report.layouts.find((one) => one !== layout);
    const moved = other ? map.movedPages(other) : [];
    const turn = (symbol, title, next) => element(
      "button",
      { type: "button", "aria-label": title, disabled: next == null, onclick: () => map.choose(layout, next, true) },
      symbol);
    const suffix = layout.suffix && `,${layout.suffix}`;
    const facts = [
      ["Section", section ? `${section.name}, ${SEGMENTS[section.kind]}` : "none"],
      ["Owner", layout.ownerName(page)],
      ["Startup code", (layout.kinds[page] === CODE || layout.bytesOfPage(page) > 0)
        && `${number(layout.bytesOfPage(page))} of ${number(layout.pageSize)} bytes`],
      ["Why touched", sentences.length ? sentences.join(" ") : "The launch does not touch this page."],
      ["Faulted", faultsOfPage(report, layout, page).join(" ")],
      ["To save it", remedy(layout, page)],
    ];
    return [
      element(
        "header", {}, element("h2", { tabindex: -1 }, `Page ${layout.pageAddress(page)}${suffix}`),
        element(
          "div", { class: "tools" }, turn("\u2190", "Touched page before", layout.touchedBefore(page)),
          turn("\u2192", "Touched page after", layout.touchedAfter(page)),
          element("button", { type: "button", onclick: () => this.close() }, "Close"))),
      byteStrip(layout, page),
      element(
        "dl", {},
        facts.filter(([, text]) => text).map(([title, text]) => [element("dt", {}, title), element("dd", {}, visible(text))]),
        moved.length > 0
          && [element("dt", {}, `Its code ${other.side}`),
              element(
                "dd", {}, moved.slice(0, 12).map((one, index) => [index ? ", " : "", pageButton(map, other, one)]),
                moved.length > 12 ? ` and ${moved.length - 12} more` : "")]),
      functions.length ? table("functions on this page", this.columns(layout, page), functions) :
                         note(
                           layout.isTouched(page) || layout.kinds[page] !== CODE ?
                             "No function is on this page." :
                             "Functions of pages that no launch touches are not in this report."),
    ];
  }
  columns(layout, page) {
    const { report } = this;
    const start = page * layout.pageSize;
    const use = (one) => {
      if (one.step === Infinity) return "not used";
      const time = report.time(one);
      return `#${number(one.step + 1)}${time != null ? `, ${milliseconds(time)}` : ""}`;
    };
    return [
      column(
        "offset", (one) => (one.address < start ? "from before" : "+" + (one.address - start).toString(16)),
        { kind: "number" }),
      column("bytes", (one) => number(one.size), { kind: "number" }),
      column("first use", use, { kind: "number" }),
      report.traces.length > 1
        && column("launches", (one) => `${one.launches ?? 0} of ${report.traces.length}`, { kind: "number" }),
      column(
        "function", (one) => one.name,
        { kind: "name", show: (one) => element("span", { title: visible(one.symbol) }, code(one.name)) }),
    ].filter(Boolean);
  }
}
