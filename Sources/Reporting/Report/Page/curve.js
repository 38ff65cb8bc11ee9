// The fault curve: pages touched so far, at each first hit or millisecond; before, after, of other layouts, and the fewest
// that could hold the code.

const OTHER_LINES = ["other0", "other1", "other2", "other3", "other4", "other5"];

function faultCurveView(report, map, state) {
  const layouts = report.layouts.filter((layout) => layout.curve.length);
  if (!layouts.length) return null;
  const last = layouts.at(-1);
  const hasTimes = report.timeOfStep.size > 0;
  const axis = () => (hasTimes && state.axis === "time" ? "time" : "hits");
  const place = element("div");
  const lines = [
    ...layouts.map((layout) => ({ name: layout.side, words: layout.side === "only" ? "pages" : layout.side, curve: layout.curve })),
    ...report.otherLayouts.map(
      (other, index) => ({ name: OTHER_LINES[index % OTHER_LINES.length], words: visible(other.path), curve: other.curve })),
  ];
  let chart;
  const toX = (step) => (axis() === "hits" ? step : report.timeAt(step) / 1000);
  const cursor = () => {
    const first = state.page === null ? null : report.layoutOf(state.side)?.cells.get(state.page);
    chart?.cursor(first ? toX(first.step) : null);
    chart?.marks((map?.search?.steps(last) ?? []).map(toX), "found");
  };
  const redraw = drawnToWidth(place, (width) => {
    const mostX = axis() === "hits" ? report.lastStep + 1 : largest(report.timeOfStep.values(), 1) / 1000;
    chart = new Chart(
      `Pages touched during the launch: ${lines.map(({ words, curve }) => `${words} ${curve.at(-1)[1]}`).join(", ")}`, width,
      mostX, largest(lines.map(({ curve }) => curve.at(-1)[1])),
      { xTitle: axis() === "hits" ? "first hits" : "ms", yTitle: "pages", isWholeX: axis() === "hits", isWholeY: true });
    const toLine = (points, value) => [[0, 0], ...points.map((point) => [toX(point[0]), point[value]])];
    for (const { name, curve } of lines) chart.steps(toLine(curve, 1), name);
    // Last, because a good order lies on it.
    chart.steps(toLine(last.curve, 2), "floor");
    chart.onClick((x) => {
      const page = [...last.cells].find(([, cell]) => cell.step === nearestStep(last.curve, x, toX));
      if (page) map?.choose(last, page[0]);
    });
    place.replaceChildren(chart.node);
    cursor();
  });
  const tools = hasTimes
    && element(
      "div", { class: "tools" },
      choice("Over", "axis", [["hits", "first hits"], ["time", "milliseconds"]], axis(), (axis) => state.set({ axis })));
  state.listen((_, before) => {
    if (state.axis === before.axis) return cursor();
    if (tools) showChoice(tools, "axis", axis());
    redraw();
  });
  const area = report.documents.diff?.faultCurveArea;
  return view(
    "curve", "Fault curve",
    area
      && note(
        `Area: ${number(area.before)} page-steps before, ${number(area.after)} after (${
          signed(area.after / area.before - 1)}). A smaller area means later faults.`),
    tools, lineKey([...lines.map(({ name, words }) => [name, words]), ["floor", "floor: the same code without gaps"]]), place,
    ...lines.map(
      ({ words, curve }) => tableBeside(
        words === "pages" ? "pages touched" : `pages touched, ${words}`,
        [
          column("first hits", ([step]) => number(step + 1), { kind: "number" }),
          column("pages", ([, count]) => number(count), { kind: "number" }),
          column("floor", ([, , fewest]) => number(fewest), { kind: "number" })
        ],
        () => curve)));
}

/** The step of the first new page at or behind a place of the axis. */
function nearestStep(curve, x, toX) {
  const place = firstPlace(curve, ([step]) => toX(step) >= x);
  for (let index = Math.max(1, place); index < curve.length; index++)
    if (curve[index][1] > curve[index - 1][1]) return curve[index][0];
  return curve[0][0];
}
