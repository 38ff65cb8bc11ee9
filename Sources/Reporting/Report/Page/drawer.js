// The drawer: one page, what is on it, why a launch touches it, and what would make it go.

const CAUSES = {
  startupFunctions: "a startup function",
  linkageTable: "an entry of a linkage table",
  cRuntime: "code of the C runtime",
  initializer: "an initializer",
  mergedBody: "a merged body",
  constant: "a constant that code reads",
  firstPage: "the header",
  whole: "a section that is read as a whole",
  functionPart: "part of a function that was not entered",
  otherPath: "another path taken than the recorded one",
  newCode: "code that the recorded build lacks",
  noEntry: "a function of which no entry was recorded",
  coldPart: "a cold part that was split off",
  noSymbol: "code without a symbol",
};

/** Why a launch touches the page, or why it is only predicted, one sentence each. */
function reasons(layout, page, diff) {
  const sentences = [];
  const causes = new Map();
  for (const touch of layout.predictedPages.get(page) ?? [])
    causes.set(touch.cause, (causes.get(touch.cause) ?? 0) + 1);
  for (const [cause, count] of causes)
    sentences.push(
      cause === "startupFunctions" ? `Predicted: ${counted(count, "startup function")} on it.` :
                                     `Predicted: ${CAUSES[cause] ?? cause}.`);
  for (const touch of layout.measuredPages.get(page) ?? [])
    sentences.push(
      `First ${ACCESSES[touch.access]} by ${visible(touch.name)}, as touch ${number(touch.step + 1)} of the launch.`);
  const address = layout.address(page * layout.pageSize);
  for (const one of diff?.measuredPages?.[layout.side]?.differences ?? [])
    if (one.address === address)
      sentences.push(`Only ${one.isExecuted ? "executed" : "predicted"}: ${CAUSES[one.cause] ?? one.cause}${
        one.function ? `, ${visible(one.function)}` : ""}.`);
  return sentences;
}

/** What would make the launch not touch the page. */
function remedy(layout, page) {
  const used = layout.functionsOnPage(page).filter((one) => one.step < Infinity);
  const measured = layout.measuredPages.get(page) ?? [];
  if (!layout.isTouched(page)) return null;
  if (!used.length) {
    return measured.some((touch) => touch.access === 0) ?
      "No recorded function is on it. Record this launch, so that gen knows the code that ran." :
      "Nothing that an order file moves: data and constants stay where the linker puts them.";
  }
  if (layout.method && !measured.length) return "Nothing to save: the measured launch does not touch it.";
  const bytes = layout.runBytes(page * layout.pageSize, (page + 1) * layout.pageSize);
  const share = bytes / layout.pageSize;
  if (share > 0.9)
    return "It is full of startup functions. Splitting off what does not run of them may save it (gen --split).";
  if (!used.some((one) => one.isNamed)) return "Only code without a symbol is used on it, which no order file moves.";
  if (layout.side === "before")
    return `Order ${counted(used.length, "function")} (${
      byteCount(bytes)} on this page) next to other startup functions.`;
  return `Move ${counted(used.length, "function")} (${
    byteCount(bytes)} on this page) to pages that are touched anyway, or split off what does not run.`;
}

/** The bytes of a page: its functions, and above them what runs. */
function byteStrip(layout, page) {
  const [start, end] = [page * layout.pageSize, (page + 1) * layout.pageSize];
  const box = (range, y, height, name) => {
    const from = Math.max(start, range[0]);
    return drawing(
      "rect", { x: from - start, y, width: Math.max(8, Math.min(end, range[1]) - from), height, class: name });
  };
  const functions = layout.functionsOnPage(page);
  return drawing(
    "svg", {
      class: "bytes",
      viewBox: `0 0 ${layout.pageSize} 40`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${counted(functions.length, "function")} on the page, ${
        counted(functions.filter((one) => one.step < Infinity).length, "startup function")}`
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
      if (state.isOpen && !before.isOpen) this.node.querySelector("h2")?.focus({ preventScroll: true });
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !state.isOpen) return;
      event.preventDefault();
      this.close();
    });
  }
  close() {
    this.state.set({ isOpen: false });
    document.getElementById(`strip-${this.state.side}`).focus({ preventScroll: true });
  }
  show() {
    const { state, map, report } = this;
    const layout = report.layouts.find((one) => one.side === state.side);
    this.node.hidden = !state.isOpen || state.page === null || !layout;
    if (this.node.hidden) return;
    const page = state.page;
    const functions = layout.functionsOnPage(page);
    const sentences = reasons(layout, page, report.documents.diff);
    const remedyText = remedy(layout, page);
    const section = layout.sectionOfPage(page);
    const owner = layout.ownerName(page);
    const other = report.layouts.find((one) => one !== layout);
    const moved = other ? map.movedPages(other) : [];
    const turn = (symbol, title, next) => element(
      "button",
      { type: "button", "aria-label": title, disabled: next == null, onclick: () => map.choose(layout, next, true) },
      symbol);
    const touched = layout.touchedPages;
    this.node.replaceChildren(
      element(
        "header", {}, element("h2", { tabindex: -1 }, `Page ${layout.address(page * layout.pageSize)}, ${layout.side}`),
        element(
          "div", { class: "tools" }, turn("\u2190", "Touched page before", touched.findLast((one) => one < page)),
          turn("\u2192", "Touched page after", touched.find((one) => one > page)),
          element("button", { type: "button", onclick: () => this.close() }, "Close"))),
      byteStrip(layout, page),
      element(
        "dl", {}, element("dt", {}, "Section"),
        element("dd", {}, section ? `${section.name}, ${SEGMENTS[section.kind]}` : "none"),
        owner ? [element("dt", {}, "Owner"), element("dd", {}, visible(owner))] : [],
        element("dt", {}, "Startup bytes"),
        element(
          "dd", {},
          `${number(layout.runBytes(page * layout.pageSize, (page + 1) * layout.pageSize))} of ${
            number(layout.pageSize)}`),
        element("dt", {}, "Why touched"),
        element("dd", {}, sentences.length ? sentences.join(" ") : "The launch does not touch it."),
        remedyText ? [element("dt", {}, "To save it"), element("dd", {}, remedyText)] : [],
        moved.length ?
          [
            element("dt", {}, `Its code ${other.side}`),
            element(
              "dd", {}, moved.slice(0, 12).map((one, index) => [index ? ", " : "", pageButton(map, other, one)]),
              moved.length > 12 ? ` and ${moved.length - 12} more` : "")
          ] :
          []),
      functions.length ?
        table(
          `functions on this page`,
          [
            column(
              "offset",
              (one) => (
                one.address < page * layout.pageSize ? "from before" :
                                                       "+" + (one.address - page * layout.pageSize).toString(16)),
              { kind: "number" }),
            column("bytes", (one) => number(one.size), { kind: "number" }),
            column(
              "first use",
              (one) => (
                one.step < Infinity ?
                  `#${one.step + 1}` + (report.time(one) != null ? `, ${milliseconds(report.time(one))}` : "") :
                  "not used"),
              { kind: "number" }),
            column(
              "function", (one) => one.name,
              { kind: "name", show: (one) => element("span", { title: visible(one.symbol) }, code(one.name)) }),
          ],
          functions) :
        element(
          "p", { class: "quiet" },
          layout.isTouched(page) || section?.kind !== CODE ?
            "No function is on it." :
            "Functions of pages that no launch touches are not in this report."));
  }
}
