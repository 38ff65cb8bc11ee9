// Reads the data, draws the views, and connects them.

/** A view, or an apology if the view can't be drawn, so that the other views can be read. */
function tried(title, draw) {
  try {
    return draw();
  } catch (error) {
    console.error(error);
    const id = title.toLowerCase().replace(/\W+/g, "-");
    return view(id, title, element("p", { role: "alert" }, `This view can't be drawn: ${visible(error.message)}`));
  }
}

/** A link that goes to a view and keeps the rest of the address. */
function goesTo(link, id, state) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    state.set({ view: id });
    reach(id);
  });
}

function reach(id) {
  const node = document.getElementById(id);
  node?.scrollIntoView();
  node?.querySelector("h2")?.focus({ preventScroll: true });
}

/** Marks the link to the view that is in the upper part of the window, and brings the link into sight. */
function markCurrent(views) {
  const place = document.getElementById("views");
  const observer = new IntersectionObserver((entries) => {
    const seen = entries.filter((entry) => entry.isIntersecting).at(-1);
    if (!seen) return;
    for (const [index, link] of [...place.children].entries()) {
      if (views[index] !== seen.target) {
        link.removeAttribute("aria-current");
        continue;
      }
      link.setAttribute("aria-current", "true");
      const [from, to] = [link.offsetLeft, link.offsetLeft + link.offsetWidth];
      if (from < place.scrollLeft || to > place.scrollLeft + place.clientWidth)
        place.scrollLeft = Math.max(0, from - place.clientWidth / 3);
    }
  }, { rootMargin: "-30% 0px -70% 0px" });
  for (const node of views) observer.observe(node);
}

async function start() {
  const report = new Report(await readData());
  const state = new State();
  firstWidth = document.getElementById("main").clientWidth;
  state.side ??= report.layouts.at(-1)?.side ?? null;
  const drawn = report.layouts.length ? tried("Page map", () => new PageMap(report, state)) : null;
  const map = drawn instanceof PageMap ? drawn : null;
  const views = [
    tried("Verdict", () => verdictView(report, map, state)),
    tried("Further steps", () => furtherSteps(report)),
    tried("Nearly empty pages", () => nearlyEmptyView(report, map)),
    map ? map.node : drawn,
    tried("Order file", () => orderView(report, map)),
    tried("Limits", () => limitsView(report)),
    tried("Fault curve", () => faultCurveView(report, map, state)),
    tried("Timeline", () => timelineView(report, map, state)),
    tried("Stages", () => stagesView(report, state)),
    tried("Where the bytes are", () => bytesView(report, map, state)),
    tried("Builds compared", () => buildsView(report)),
    tried("Launches", () => launchesView(report)),
    tried("History", () => historyView(report, state)),
    tried("Method", () => methodView(report)),
  ].filter(Boolean);
  document.getElementById("main").replaceChildren(...views);
  document.getElementById("views").append(...views.map((node) => {
    const isFailed = node.id === "limits" && report.check?.verdict === "fail";
    const link = element("a", { href: `#${node.id}` }, node.querySelector("h2").textContent, isFailed && " \u2717 failed");
    goesTo(link, node.id, state);
    return link;
  }));
  markCurrent(views);
  goesTo(document.querySelector(".skip"), "verdict", state);
  document.getElementById("search").hidden = !map;
  if (map) {
    map.search = new Search(report, map, state);
    new Drawer(report, map, state);
    map.drawCursor();
  }
  state.listen((_, before) => {
    if (state.pageAddress !== before.pageAddress || state.side !== before.side) choosePage(report, state);
    if (state.view && state.view !== before.view) reach(state.view);
  });
  choosePage(report, state);
  if (state.view) reach(state.view);
  restorePlace();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

/** Chooses the page of the address, if it was not chosen by a click. */
function choosePage(report, state) {
  const layout = report.layoutOf(state.side) ?? report.layouts.at(-1);
  if (!layout) return;
  const page = state.pageAddress ? layout.pageAt(state.pageAddress) : null;
  if (state.page === page && state.side === layout.side) return;
  const { isOpen } = state;
  state.isOpen = false;
  state.set({ side: layout.side, page, pageAddress: page === null ? null : layout.pageAddress(page), isOpen });
}

listenToServer();
start().catch((error) => {
  document.getElementById("main").replaceChildren(
    element("p", { role: "alert" }, `This report can't be shown: ${visible(error.message)}`));
  throw error;
});
