// A figure by commit, with its change points and its budget.

/** The keys that the values of a series have in common: trends and budgets are matched by them. */
const SERIES_KEYS = ["source", "image", "architecture", "pageSizeBytes", "launch", "state", "machine", "kernel"];
const seriesKey = (entry) => JSON.stringify(SERIES_KEYS.map((key) => entry[key] ?? null));
const seriesWords = (entry) => SERIES_KEYS.map((key) => key === "pageSizeBytes" && entry[key] ? byteCount(entry[key]) : entry[key])
                                 .filter(Boolean).join(", ");

/** The most and the least that a budget allows for a metric of a series. */
function limitsOf(budget, series, metric) {
  const limits = (budget?.limits ?? []).filter(
    (limit) => limit.metric === `${series.source}.${metric}` && (limit.image ?? series.image) === series.image
      && (limit.pageSizeBytes ?? series.pageSizeBytes) === series.pageSizeBytes && (limit.state ?? series.state) === series.state);
  return limits.flatMap((limit) => [
    limit.max != null && { words: "at most", value: boundValue(limit.max) },
    limit.min != null && { words: "at least", value: boundValue(limit.min) }
  ]).filter(Boolean);
}

/** A commit in a few letters and, where git knows it, its subject. */
const shortCommit = (documents, commit) => documents.trend?.commits?.find((one) => one.commit === commit)?.shortHash ?? commit.slice(0, 10);
const subjectOf = (documents, commit) => documents.trend?.commits?.find((one) => one.commit === commit)?.subject ?? "";

/** All figures of a history, by name and series, with their points in the order of time. */
function figuresOf({ history, trend, budget }) {
  const sorted = [...history].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const changes = new Map();
  for (const series of trend?.series ?? [])
    for (const metric of series.metrics)
      changes.set(seriesKey(series) + metric.name, new Map(metric.changes.map((change) => [change.commit, change])));
  const figures = new Map();
  for (const entry of sorted)
    for (const metric of entry.metrics) {
      const key = seriesKey(entry) + metric.name;
      if (!figures.has(key))
        figures.set(key, {
          name: `${metric.name} (${seriesWords(entry)})`,
          image: entry.image,
          unit: metric.unit,
          points: [],
          changes: changes.get(key) ?? new Map(),
          limits: limitsOf(budget, entry, metric.name)
        });
      figures.get(key).points.push({ commit: entry.commit, time: entry.time, value: metric.value });
    }
  return [...figures.values()];
}

/** A change as a share; if the figure was 0 before, its new value. */
const changeWords = ({ change, after }) => change == null ? `0 \u2192 ${number(after)}` : signed(change);

/** The commit after which the change came, if commits without the figure follow it; otherwise empty. */
const sinceWords = ({ previousCommit, unknownCommits }) =>
  unknownCommits?.length ? `, in a commit after ${visible(previousCommit).slice(0, 10)}` : "";

function historyChart({ name, unit, points, changes, limits }, width) {
  const values = [...points.map((point) => point.value), ...limits.map((limit) => limit.value)];
  const most = largest(values, 0) * 1.08 || 1;
  const least = values.reduce((a, b) => Math.min(a, b), 0);
  const chart = new Chart(
    `${name} over ${counted(points.length, "commit")}: from ${number(points[0].value)} to ${number(points.at(-1).value)}`, width,
    Math.max(1, points.length - 1), most, { xTitle: "", yTitle: unit, writeX: null, height: 220, leastY: least, isWholeY: values.every(Number.isInteger) });
  const add = (...nodes) => chart.node.append(...nodes);
  for (const { words, value } of limits)
    add(
      drawing("path", { class: "budget", d: `M${LEFT} ${chart.y(value)}H${chart.right}` }),
      drawing(
        "text", { class: "label", x: chart.right, y: chart.y(value) - 4, "text-anchor": "end" },
        `budget: ${words} ${number(value)}`));
  const middle = (LEFT + chart.right) / 2;
  const x = (index) => (points.length === 1 ? middle : chart.x(index));
  if (points.length > 1)
    add(drawing("path", {
      class: "curve after",
      d: points.map((point, index) => `${index ? "L" : "M"}${x(index).toFixed(1)} ${chart.y(point.value).toFixed(1)}`).join("")
    }));
  if (points.length <= 100)
    points.forEach(
      (point, index) => add(drawing(
        "circle", { class: "after fill", cx: x(index).toFixed(1), cy: chart.y(point.value).toFixed(1), r: 3.5 })));
  const label = (index, anchor) => drawing(
    "text", { x: x(index), y: chart.bottom + 17, "text-anchor": anchor }, visible(points[index].commit).slice(0, 12));
  if (points.length === 1) {
    add(label(0, "middle"));
  } else {
    add(label(0, "start"), label(points.length - 1, "end"));
  }
  points.forEach((point, index) => {
    const change = changes.get(point.commit);
    if (!change) return;
    add(
      drawing("path", { class: "cursor", d: `M${x(index)} ${TOP}V${chart.bottom}` }),
      drawing(
        "text", { class: "label", x: x(index) + (index * 2 > points.length ? -4 : 4), y: TOP + 10,
                  "text-anchor": index * 2 > points.length ? "end" : "start" },
        `${visible(point.commit).slice(0, 10)} ${changeWords(change)}${sinceWords(change)}`));
  });
  return chart.node;
}

/** The commits that changed a figure, oldest first. */
function changesTable(documents, points, changes) {
  return table("commits that changed this figure", [
    column("commit", (point) => shortCommit(documents, point.commit)),
    column("subject", (point) => subjectOf(documents, point.commit), { kind: "name" }),
    column("before", (point) => number(changes.get(point.commit).before), { kind: "number" }),
    column("after", (point) => number(changes.get(point.commit).after), { kind: "number" }),
    column("change", (point) => changeWords(changes.get(point.commit)) + sinceWords(changes.get(point.commit)), { kind: "number" }),
  ], points.filter((point) => changes.has(point.commit)));
}

function historyView(report, state) {
  const { documents } = report;
  if (!documents.history?.length) return null;
  const figures = figuresOf(documents);
  const isOfTitle = (figure) => figure.name.includes("textPages");
  // The report is about its last layout.
  const last = report.layouts.at(-1);
  const isOfLast = (figure) => last && figure.image === fileName(last.path);
  const chosen = () => figures.find((one) => one.name === state.figure) ?? figures.find((one) => isOfTitle(one) && isOfLast(one))
    ?? figures.find(isOfTitle) ?? figures[0];
  const hasSubjects = documents.trend?.commits?.length > 0;
  const place = element("div");
  const beside = element("div");
  const changed = element("div");
  const redraw = drawnToWidth(place, (width) => place.replaceChildren(historyChart(chosen(), width)));
  const select = element(
    "select", { id: "metric", onchange: () => state.set({ figure: select.value }) },
    figures.map((one) => element("option", { value: one.name }, visible(one.name))));
  const printed = element("p", { class: "printed" });
  const show = () => {
    const { name, unit, points, changes } = chosen();
    select.value = name;
    printed.textContent = visible(name);
    redraw();
    changed.replaceChildren(...(changes.size ? [changesTable(documents, points, changes)] : []));
    beside.replaceChildren(tableBeside(
      visible(name),
      [
        column("time", (point) => point.time), column("commit", (point) => shortCommit(documents, point.commit), { kind: "name" }),
        hasSubjects && column("subject", (point) => subjectOf(documents, point.commit), { kind: "name" }),
        column(unit, (point) => number(point.value), { kind: "number" }),
        column("change point", (point) => {
          const change = changes.get(point.commit);
          return change ? changeWords(change) + sinceWords(change) : "";
        })
      ].filter(Boolean),
      () => points));
  };
  state.listen((_, before) => {
    if (state.figure !== before.figure) show();
  });
  show();
  const most = largest(figures.map((one) => one.points.length));
  const hasPoints = figures.some((one) => one.changes.size > 0);
  return view(
    "history", "History",
    note(
      "A figure at each commit, oldest first. ",
      hasPoints  ? "Lines mark the commits that changed the figure by more than chance." :
        most < 2 ? "There is one commit: nothing to compare." :
                   "No change point was found in any figure; few commits can't show one."),
    element("div", { class: "tools" }, element("label", { for: "metric" }, "Figure"), select, printed), place, changed, beside);
}
