// Reads the data, draws the views, and connects them.

/** What the views share: the stored document, its layouts, and the times of the recorded launch. */
class Report {
  constructor(stored) {
    this.stored = stored;
    Object.assign(
      this,
      { names: stored.names, pageSizeBytes: stored.pageSizeBytes, documents: stored.documents, absent: stored.absent });
    this.layouts = stored.layouts.map((layout) => new Layout(layout, stored));
    const times = runningSums(stored.hits?.microseconds ?? []);
    this.hits = times.map((time, index) => {
      const name = stored.hits.name[index];
      return {
        index,
        time,
        thread: stored.hits.thread[index],
        name: stored.names[name],
        symbol: stored.symbols[name] || stored.names[name],
      };
    });
    this.marks = (stored.marks?.microseconds ?? [])
                   .map((time, index) => ({ time, name: stored.names[stored.marks.name[index]] }));
    // By symbols: different functions may have the same name for people.
    this.timeOfSymbol = new Map();
    for (const hit of this.hits)
      if (!this.timeOfSymbol.has(hit.symbol)) this.timeOfSymbol.set(hit.symbol, hit.time);
    this.timeOfStep = new Map();
    for (const layout of this.layouts)
      for (const one of layout.functions) {
        const time = this.time(one);
        if (one.step < Infinity && time != null && !this.timeOfStep.has(one.step)) this.timeOfStep.set(one.step, time);
      }
    this.functionOfSymbol = new Map();
    for (const layout of this.layouts)
      for (const one of layout.functions)
        if (one.step < Infinity) this.functionOfSymbol.set(one.symbol, { layout, one });
  }
  time(one) { return this.timeOfSymbol.get(one.symbol); }
  pageOfHit(hit) {
    const found = this.functionOfSymbol.get(hit.symbol);
    return found && { layout: found.layout, page: Math.floor(found.one.address / found.layout.pageSize) };
  }
}

function connectSearch(report, map, state) {
  const [form, field, status] = ["search", "find", "found"].map((id) => document.getElementById(id));
  field.value = state.find;
  const tell = () => {
    if (!state.find.trim()) return (status.textContent = "");
    const found = report.layouts.map((layout) => `${number(foundFunctions(layout, state.find).length)} ${layout.side}`);
    status.textContent = `found: ${found.join(", ")}`;
  };
  field.addEventListener("input", () => {
    state.set({ find: field.value });
    tell();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const layout = report.layouts.at(-1);
    const found = layout && foundFunctions(layout, state.find)[0];
    if (found) map.choose(layout, Math.floor(found.address / layout.pageSize), true);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    field.focus();
  });
  tell();
}

async function start() {
  const report = new Report(await readData());
  const state = new State();
  const map = report.layouts.length ? new PageMap(report.layouts, state) : null;
  const views = [
    verdictView(report),
    map?.node,
    faultCurveView(report, map, state),
    timelineView(report, map, state),
    strangersView(report, map),
    bytesView(report, map),
    healthView(report),
    launchesView(report),
    historyView(report),
    methodView(report),
  ].filter(Boolean);
  document.getElementById("main").replaceChildren(...views);
  document.getElementById("views").append(...views.map(
    (node) => element(
      "a", {
        href: `#${node.id}`,
        onclick: (event) => {
          event.preventDefault();
          node.scrollIntoView();
          node.querySelector("h2").focus({ preventScroll: true });
        }
      },
      node.querySelector("h2").textContent)));
  if (map) {
    new Drawer(report, map, state);
    connectSearch(report, map, state);
    const chosen = report.layouts.find((layout) => layout.side === state.side) ?? report.layouts[0];
    const page = state.pageAddress && chosen.pageAt(state.pageAddress);
    map.draw(true);
    const isOpen = state.isOpen;
    if (page != null && page !== "") {
      state.isOpen = false;
      state.set({ side: chosen.side, page, isOpen });
    }
  }
  document.documentElement.dataset.ready = "";
}

start().catch((error) => {
  document.getElementById("main").replaceChildren(
    element("p", { role: "alert" }, `This report can't be shown: ${error.message}`));
  throw error;
});
