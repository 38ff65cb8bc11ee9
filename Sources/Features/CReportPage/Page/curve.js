// The fault curve: the pages touched up to each first use or millisecond, for each layout, and the fewest pages that could hold
// the code. Below it, the measured page faults up to each millisecond of another launch.

const OTHER_LINES = ["other0", "other1", "other2", "other3", "other4", "other5"];

function faultCurveView(report, map, state) {
  const layouts = report.layouts.filter((layout) => layout.curve.length);
  const measured = measuredCurves(report, map, state);
  if (!layouts.length) return measured ? view("curve", "Fault curve", measured) : null;
  const last = layouts.at(-1);
  const hasTimes = report.timeOfStep.size > 0;
  const axis = () => (hasTimes && state.axis === "time" ? "time" : "uses");
  const place = element("div");
  const lines = [
    ...layouts.map((layout) => ({ name: layout.side, words: layout.side === "only" ? "pages" : layout.side, curve: layout.curve })),
    ...report.otherLayouts.map(
      (other, index) => ({ name: OTHER_LINES[index % OTHER_LINES.length], words: visible(other.path), curve: other.curve })),
  ];
  const ends = distinctEnds(lines.map(({ words }) => words));
  const labels = lines.length === 1 ? [] : [
    ...lines.map(({ name, curve }, index) => ({ name, words: ends[index], value: curve.at(-1)[1] })),
    { name: "floor", words: "floor", value: last.curve.at(-1)[2] },
  ];
  let chart;
  const toX = (step) => (axis() === "uses" ? step : report.timeAt(step) / 1000);
  const cursor = () => {
    const first = state.page === null ? null : report.layoutOf(state.side)?.cells.get(state.page);
    chart?.cursor(first ? toX(first.step) : null);
    chart?.marks((map?.search?.steps(last) ?? []).map(toX), "found");
  };
  const redraw = drawnToWidth(place, (width) => {
    const mostX = axis() === "uses" ? report.lastStep + 1 : largest(report.timeOfStep.values(), 1) / 1000;
    chart = new Chart(
      `Pages touched during the launch: ${lines.map(({ words, curve }) => `${words} ${curve.at(-1)[1]}`).join(", ")}`, width,
      mostX, largest(lines.map(({ curve }) => curve.at(-1)[1])),
      {
        xTitle: axis() === "uses" ? "first uses" : "ms",
        yTitle: "pages",
        isWholeX: axis() === "uses",
        isWholeY: true,
        rightMargin: labels.length ? labelMargin(width, labels.map(({ words }) => words)) : RIGHT,
      });
    const toLine = (points, value) => [[0, 0], ...points.map((point) => [toX(point[0]), point[value]])];
    for (const { name, curve } of lines) chart.steps(toLine(curve, 1), name);
    // Drawn last, because a good order lies on the floor.
    chart.steps(toLine(last.curve, 2), "floor");
    chart.endLabels(labels);
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
      choice("Over", "axis", [["uses", "first uses"], ["time", "milliseconds"]], axis(), (axis) => state.set({ axis })));
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
          column("first uses", ([step]) => number(step + 1), { kind: "number" }),
          column("pages", ([, count]) => number(count), { kind: "number" }),
          column("floor", ([, , fewest]) => number(fewest), { kind: "number" })
        ],
        () => curve)),
    measured);
}

/** The ends of paths, just long enough to differ from each other. */
function distinctEnds(paths) {
  const ends = (count) => paths.map((path) => path.split("/").slice(-count).join("/"));
  const most = largest(paths.map((path) => path.split("/").length), 1);
  for (let count = 1; count < most; count++)
    if (new Set(ends(count)).size === paths.length) return ends(count);
  return paths;
}

/** The step of the first new page at or after a place of the axis. */
function nearestStep(curve, x, toX) {
  const place = firstPlace(curve, ([step]) => toX(step) >= x);
  for (let index = Math.max(1, place); index < curve.length; index++)
    if (curve[index][1] > curve[index - 1][1]) return curve[index][0];
  return curve[0][0];
}

const FAULT_COUNTS = {
  image: ["of the image", (fault) => fault.part <= 1],
  all: ["all", () => true],
  major: ["major ones", (fault) => fault.isMajor],
};
const MOST_POINTS = 2000;

/**
 * A chart for each cache, of the measured page faults up to each millisecond of a launch; `null` if no document lists
 * faults.
 */
function measuredCurves(report, map, state) {
  const launches = report.faults.filter((launch) => launch.list.length);
  if (!launches.length) return null;
  const chosen = () => (Object.hasOwn(FAULT_COUNTS, state.faults ?? "") ? state.faults : "image");
  const faultsOf = (launch) => launch.list.filter(FAULT_COUNTS[chosen()][1]);
  const charts = [...Map.groupBy(launches, (launch) => launch.stored.cache)]
                   .map(([cache, alike]) => [cache, measuredChart(alike, faultsOf, map, state)]);
  const tools = element(
    "div", { class: "tools" },
    choice(
      "Faults", "faults", Object.entries(FAULT_COUNTS).map(([value, [words]]) => [value, words]), chosen(),
      (faults) => state.set({ faults })));
  state.listen((_, before) => {
    if (state.faults !== before.faults) showChoice(tools, "faults", chosen());
  });
  return element(
    "div", {}, element("h3", {}, "Measured page faults"),
    note(
      "Faults of launches that were not recorded, at the milliseconds of these launches; of several launches of a build, the median. A fault also maps the pages in memory ",
      "around it, and data have faults, too: the faults do not equal the pages above."),
    tools, charts.map(([cache, chart]) => [charts.length > 1 && element("h4", {}, `${firstLetterUp(cache)} launches`), chart]),
    ...launches.map((launch) => tableBeside(
      `faults so far, ${launch.title}`,
      [
        column("ms", ({ fault }) => (fault.time / 1000).toFixed(3), { kind: "number" }),
        column("faults", ({ count }) => number(count), { kind: "number" }),
        column("kind", ({ fault }) => (fault.isMajor ? "major" : "minor")),
        column("where", ({ fault }) => fault.place)
      ],
      () => faultsOf(launch).map((fault, index) => ({ fault, count: index + 1 })))));
}

/**
 * The time of each fault in a typical launch: the lower median of the times of the first fault of each launch, of the
 * second, and so on, for as many faults as at least half of the launches have.
 */
function medianTimes(launches) {
  const counts = launches.map((times) => times.length).sort((a, b) => b - a);
  return Array.from({ length: counts[(counts.length - 1) >> 1] ?? 0 }, (_, place) => {
    const times = launches.filter((one) => one.length > place).map((one) => one[place]).sort((a, b) => a - b);
    return times[(times.length - 1) >> 1];
  });
}

/**
 * The curves of launches with one cache: a curve for each build.
 * @param faultsOf the chosen faults of a launch
 */
function measuredChart(launches, faultsOf, map, state) {
  const lines = [...Map.groupBy(launches, (launch) => launch.stored.side ?? "only")].map(([name, alike]) => ({
    name,
    alike,
    title: alike.length > 1 ? `median of ${alike.length} ${alike[0].stored.cache} launches${alike[0].suffix && `,${alike[0].suffix}`}` : alike[0].title,
  }));
  const end = axisEnd(launches);
  const isShown = (fault) => fault.time <= end;
  const place = element("div");
  let chart;
  const cursor = () => {
    const found = launches.filter((launch) => launch.layout?.side === state.side && state.page !== null)
                    .flatMap((launch) => launch.onPage(launch.layout, state.page)).filter(isShown)[0];
    chart?.cursor(found ? found.time / 1000 : null);
  };
  const redraw = drawnToWidth(place, (width) => {
    const times = lines.map(({ alike }) => medianTimes(alike.map((launch) => faultsOf(launch).map((fault) => fault.time))));
    const shown = times.map((line) => line.filter((time) => time <= end));
    chart = new Chart(
      `Page faults during the launch, measured: ${lines.map(({ title }, index) => `${title} ${times[index].length}`).join(", ")}`,
      width, end / 1000, largest(shown.map((line) => line.length), 1),
      {
        xTitle: "ms",
        yTitle: "faults",
        isWholeY: true,
        height: 220,
        rightMargin: lines.length > 1 ? labelMargin(width, lines.map(({ title }) => title)) : RIGHT,
      });
    lines.forEach(({ name }, index) => {
      const line = shown[index];
      const every = Math.ceil(line.length / MOST_POINTS);
      const points = line.map((time, place) => [time / 1000, place + 1])
                       .filter((_, place) => (place + 1) % every === 0 || place === line.length - 1);
      chart.steps([[0, 0], ...points], name);
    });
    if (lines.length > 1)
      chart.endLabels(lines.map(({ name, title }, index) => ({ name, words: title, value: shown[index].length })));
    chart.onClick((x) => {
      const onPages = launches.flatMap((launch) => faultsOf(launch).map((fault) => ({ launch, fault })))
                        .filter(({ fault }) => fault.page !== null);
      const distance = ({ fault }) => Math.abs(fault.time / 1000 - x);
      const nearest = onPages.reduce((best, one) => (best && distance(best) <= distance(one) ? best : one), null);
      if (nearest) map?.choose(nearest.launch.layout, nearest.fault.page);
    });
    place.replaceChildren(chart.node);
    cursor();
  });
  state.listen((_, before) => (state.faults === before.faults ? cursor() : redraw()));
  return [lineKey(lines.map(({ name, title }) => [name, title])), beyondAxis(launches, end), place];
}
