// The measured launches, one point each, by state of the page cache and by build.

const METRICS = {
  wallTime: "wall time",
  cpuTime: "CPU time"
};

/** What the launches show of each metric: a row for each state of the cache, each pair of builds and each metric. */
function comparisonsTable(measure) {
  const rows = measure.states.flatMap(({ state, comparisons }) => comparisons.flatMap(
    ({ before, after, metrics }) => metrics.map((metric) => ({...metric, state, before, after }))));
  const isShown = (row) => row.verdict !== "not shown";
  return table("what the launches show", [
    column("launches", (row) => row.state),
    column("build", (row) => `${row.after} against ${row.before}`),
    column("figure", (row) => METRICS[row.metric] ?? row.metric),
    column("verdict", (row) => isShown(row) ? `${percent(Math.abs(row.change))} ${row.verdict}` :
      row.state === "cold" && blindDisk(measure) ? "no difference: the disk cannot show one" : "no difference shown"),
    column("change", (row) => signed(row.change), { kind: "number" }),
    column("95% interval", intervalOf, { kind: "number" }),
    column("p", (row) => (row.correctedP == null ? "" : String(Number(row.correctedP.toPrecision(2)))), { kind: "number" }),
  ], rows);
}

/** The value below which a share of the sorted values lies. */
const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** The range of times to draw, without the few times that are far from all others. */
function rangeOfTimes(sides) {
  let [least, most] = [Infinity, 0];
  for (const { times } of sides) {
    const sorted = [...times].sort((a, b) => a - b);
    const spread = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    const limit = quantile(sorted, 0.75) + 3 * Math.max(spread, 0.01 * quantile(sorted, 0.5));
    most = Math.max(most, ...sorted.filter((time) => time <= limit).slice(-1));
    least = Math.min(least, sorted[0]);
  }
  const margin = (most - least || most) * 0.05;
  return [Math.max(0, least - margin), most + margin];
}

function launchesChart(measured, sides, width) {
  const row = 44, left = 64, height = sides.length * row + 30;
  const [least, most] = rangeOfTimes(sides);
  const x = (value) => left + ((Math.min(value, most) - least) / (most - least || 1)) * (width - left - RIGHT);
  const medianOf = (side) => side.wallNanoseconds.median / 1e6;
  return drawing(
    "svg", {
      class: "chart",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `${measured.state} launches: ${
        sides.map((side) => `${side.name}, median ${medianOf(side).toFixed(2)} ms of ${side.times.length}`).join("; ")}`
    },
    sides.map((side, index) => {
      const middle = index * row + 20;
      return [
        drawing("path", { class: "axis", d: `M${left} ${middle}H${width - RIGHT}` }),
        drawing("text", { class: "label", x: 0, y: middle }, side.name),
        drawing("text", { x: 0, y: middle + 14 }, `${medianOf(side).toFixed(2)} ms`),
        side.times.map(
          (time, at) => time > most ?
            drawing("path", { class: "point beyond", d: `M${x(time) - 4} ${middle - 6 + (at % 5) * 3}l6 4l-6 4z` }) :
            drawing("circle", { class: "point", cx: x(time).toFixed(1), cy: middle - 6 + (at % 5) * 3, r: 3.5 })),
        drawing("path", { class: "median", d: `M${x(medianOf(side)).toFixed(1)} ${middle - 14}v28` })
      ];
    }),
    ticks(most, width > 600 ? 8 : 4, least)
      .map((value) => drawing("text", { x: x(value), y: height - 4, "text-anchor": "middle" }, number(value))),
    drawing("text", { x: 0, y: height - 4 }, "ms"));
}

function launchesView(report) {
  const { measure } = report.documents;
  if (!measure?.states.length) return null;
  const parts = measure.states.map((measured) => {
    const sides
      = measured.sides.map((side) => ({...side, times: side.launches.map((launch) => launch.wallNanoseconds / 1e6) }));
    const place = element("div");
    drawnToWidth(place, (width) => place.replaceChildren(launchesChart(measured, sides, width)));
    const beyond = sides.flatMap((side) => side.times).filter((time) => time > rangeOfTimes(sides)[1]);
    return [
      element("h3", {}, `${firstLetterUp(measured.state)} launches`),
      place,
      beyond.length > 0
        && note(`${counted(beyond.length, "launch", "launches")} far beyond the others, up to ${
          largest(beyond).toFixed(1)} ms, ${beyond.length === 1 ? "is a triangle" : "are triangles"} at the edge.`),
      tableBeside(
        `${measured.state} launches`,
        [
          column("launch", (launch) => number(launch.index + 1), { kind: "number" }),
          column("build", (launch) => launch.side),
          column("wall ms", (launch) => (launch.wallNanoseconds / 1e6).toFixed(3), { kind: "number" }),
          column("major faults", (launch) => number(launch.majorFaults), { kind: "number" }),
          column("minor faults", (launch) => number(launch.minorFaults), { kind: "number" })
        ],
        () => measured.sides.flatMap(
          (side) => side.launches.map((launch, index) => ({...launch, index, side: side.name }))))
    ];
  });
  return view(
    "launches", "Launches",
    note(
      "Wall time of each launch; the line is the median. The axis need not begin at 0. The control is the build ",
      "before, measured again: its difference from itself is noise. p is the probability that chance alone makes such a difference, ",
      "corrected for all comparisons."),
    ...measure.limits.map((limit) => element("p", { class: "warning" }, `Limit: ${visible(limit)}.`)),
    comparisonsTable(measure), parts);
}
