// Curves and points over an axis: page faults during a launch, first hits over time, measured launches, and commits.

// As wide as the page is when it opens, so that letters have their size.
const WIDEST = 1232;
const BOX = {
  width: Math.max(300, Math.min(WIDEST, document.documentElement.clientWidth - 48)),
  height: 260,
  left: 48,
  right: 12,
  top: 12,
  bottom: 34
};

/** Round steps of an axis that reaches `most`. */
function ticks(most, count = 5) {
  const raw = most / count || 1;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * unit >= raw) * unit;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step);
}

/** A drawing with two axes from 0; `x` and `y` turn values to places. */
class Chart {
  constructor(label, mostX, mostY, { xTitle, yTitle, writeX = number, writeY = number, height = BOX.height }) {
    const [right, bottom] = [BOX.width - BOX.right, height - BOX.bottom];
    this.x = (value) => BOX.left + (value / (mostX || 1)) * (right - BOX.left);
    this.y = (value) => bottom - (value / (mostY || 1)) * (bottom - BOX.top);
    [this.bottom, this.mostX] = [bottom, mostX];
    this.node = drawing(
      "svg", { class: "chart", viewBox: `0 0 ${BOX.width} ${height}`, role: "img", "aria-label": label },
      writeX
        && ticks(mostX, BOX.width > 600 ? 8 : 4)
             .map(
               (value) =>
                 [drawing("path", { class: "axis", d: `M${this.x(value)} ${bottom}v4` }),
                  drawing("text", { x: this.x(value), y: bottom + 17, "text-anchor": "middle" }, writeX(value))]),
      ticks(mostY, 4).map(
        (value) =>
          [drawing("path", { class: "axis", d: `M${BOX.left} ${this.y(value)}H${right}` }),
           drawing("text", { x: BOX.left - 6, y: this.y(value) + 4, "text-anchor": "end" }, writeY(value))]),
      drawing("text", { x: right, y: height - 2, "text-anchor": "end" }, xTitle),
      drawing("text", { x: 0, y: 8 }, yTitle));
  }
  /** A line that keeps its height until the next value. */
  steps(points, name) {
    const path = points.map(
      ([x, y], index) => (
        index ? `H${this.x(x).toFixed(1)}V${this.y(y).toFixed(1)}` :
                `M${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`));
    this.node.append(drawing("path", { class: `curve ${name}`, d: path.join("") + `H${this.x(this.mostX)}` }));
  }
  cursor(x) {
    this.node.querySelector(".cursor")?.remove();
    if (x != null) this.node.append(drawing("path", { class: "cursor", d: `M${this.x(x)} ${BOX.top}V${this.bottom}` }));
  }
  /** Calls `found` with the value of the first axis where a click was. */
  onClick(found) {
    this.node.style.cursor = "crosshair";
    this.node.addEventListener("click", (event) => {
      const at = (event.offsetX / this.node.clientWidth) * BOX.width;
      found(Math.max(0, (at - BOX.left) / (BOX.width - BOX.right - BOX.left)) * this.mostX);
    });
  }
}

const legend = (entries) => element(
  "ul", { class: "key" },
  entries.map(
    ([name, words]) => element(
      "li", {},
      drawing(
        "svg", { class: "chart", width: 28, height: 8, style: "width:28px", "aria-hidden": "true" },
        drawing("path", { class: `curve ${name}`, d: "M0 4H28" })),
      words)));

/** Pages touched so far, at each first hit: before, after, and the fewest that could hold the code. */
function faultCurveView(report, map, state) {
  const layouts = report.layouts.filter((layout) => layout.touches.length);
  if (!layouts.length) return null;
  const curves = layouts.map((layout) => ({ layout, ...layout.curve }));
  const hasTimes = report.timeOfStep.size > 0;
  const place = element("div");
  const note = element("p", { class: "quiet" });
  let axis = "hits";
  let chart;
  const toX = (step) => (axis === "hits" ? step : (report.timeOfStep.get(step) ?? 0) / 1000);
  const draw = () => {
    const lastStep = Math.max(...layouts.map((layout) => layout.touches.at(-1).step));
    const mostX = axis === "hits" ? lastStep + 1 : Math.max(...report.timeOfStep.values()) / 1000;
    const mostY = Math.max(...curves.map(({ pages }) => pages.at(-1)[1]));
    chart = new Chart(
      `Pages touched during the launch: ${
        curves.map(({ layout, pages }) => `${layout.side} ${pages.at(-1)[1]}`).join(", ")}`,
      mostX, mostY, { xTitle: axis === "hits" ? "first hits" : "ms", yTitle: "pages" });
    const atX = (points) => {
      let last = 0;
      return [[0, 0], ...points.map(([step, count]) => [last = Math.max(last, toX(step)), count])];
    };
    chart.steps(atX(curves.at(-1).floor), "floor");
    for (const { layout, pages } of curves) chart.steps(atX(pages), layout.side);
    chart.onClick((x) => {
      const layout = layouts.at(-1);
      const touch = layout.touches.find((one) => toX(one.step) >= x) ?? layout.touches.at(-1);
      map.choose(layout, Math.floor(touch.address / layout.pageSize));
    });
    place.replaceChildren(chart.node);
    cursor();
  };
  const cursor = () => {
    const layout = layouts.find((one) => one.side === state.side);
    const first = state.page === null ? null : layout?.predictedPages.get(state.page)?.[0];
    chart.cursor(first ? toX(first.step) : null);
  };
  draw();
  state.listen(cursor);
  const area = report.documents.diff?.faultCurveArea;
  if (area) {
    const change = signed(area.after / area.before - 1);
    note.textContent = `Area: ${number(area.before)} page-steps before, ${number(area.after)} after (${change}). `
      + "A smaller area means later faults.";
  }
  return view(
    "curve", "Fault curve", note,
    hasTimes
      && element(
        "div", { class: "tools" },
        choice(
          "Over", "axis", [["hits", "first hits"], ["time", "milliseconds"]], axis,
          (chosen) => {
            axis = chosen;
            draw();
          })),
    legend([...layouts.map((layout) => [layout.side, layout.side]), ["floor", "floor: the same code without gaps"]]),
    place,
    ...curves.map(
      ({ layout, pages, floor }) => tableBeside(
        `pages touched ${layout.side}`,
        [
          column("first hits", ([step]) => number(step + 1), { kind: "number" }),
          column("pages", ([, count]) => number(count), { kind: "number" }),
          column("floor", ([, , fewest]) => number(fewest), { kind: "number" })
        ],
        () => pages.map((point, index) => [...point, floor[index][1]])
                .filter((_, index) => index % Math.ceil(pages.length / 200) === 0 || index === pages.length - 1))));
}

const BINS = Math.round(BOX.width / 6);

/** The launch over time: marks, first hits by thread, and the pages that are touched for the first time. */
function timelineView(report, map, state) {
  const { hits, marks } = report;
  if (!hits.length) return null;
  const end = Math.max(...hits.map((hit) => hit.time), ...marks.map((mark) => mark.time), 1);
  const bin = (time) => Math.min(BINS - 1, Math.floor((time / end) * BINS));
  const lane = (title, times, name) => {
    const counts = new Array(BINS).fill(0);
    for (const time of times) counts[bin(time)]++;
    return { title, counts, name, total: times.length };
  };
  const threads = [...new Set(hits.map((hit) => hit.thread))].slice(0, 12);
  const lanes = threads.map(
    (thread) => lane(`thread ${thread}`, hits.filter((hit) => hit.thread === thread).map((hit) => hit.time), "hits"));
  for (const layout of report.layouts) {
    const firsts = [...layout.predictedPages.values()]
                     .map((touches) => report.timeOfStep.get(touches[0].step))
                     .filter((time) => time != null);
    if (firsts.length) lanes.push(lane(`pages ${layout.side}`, firsts, `${layout.side} fill`));
  }
  const height = 40;
  const top = marks.length ? 22 : 4;
  const left = 92;
  const x = (time) => left + (time / end) * (BOX.width - left - BOX.right);
  const total = top + lanes.length * height + 26;
  const bar = (name, place, length, bottom) => drawing("rect", {
    class: name,
    x: x((place / BINS) * end).toFixed(1),
    width: ((BOX.width - left - BOX.right) / BINS - 0.6).toFixed(2),
    y: (bottom - Math.max(2, length)).toFixed(1),
    height: Math.max(2, length).toFixed(1),
  });
  const chart = drawing(
    "svg", {
      class: "chart",
      viewBox: `0 0 ${BOX.width} ${total}`,
      role: "img",
      "aria-label":
        `First hits over ${milliseconds(end)}: ${lanes.map((one) => `${one.title} ${one.total}`).join(", ")}`
    },
    lanes.map((one, index) => {
      const bottom = top + (index + 1) * height - 6;
      const most = Math.max(...one.counts);
      return [
        drawing("path", { class: "axis", d: `M${left} ${bottom}H${BOX.width - BOX.right}` }),
        drawing("text", { x: 0, y: bottom - 12 }, one.title),
        drawing("text", { x: 0, y: bottom + 2 }, number(one.total)),
        one.counts.map((count, place) => count > 0 && bar(one.name, place, (count / most) * (height - 10), bottom)),
      ];
    }),
    ticks(end / 1000, BOX.width > 600 ? 8 : 4)
      .map((value) => drawing("text", { x: x(value * 1000), y: total - 8, "text-anchor": "middle" }, number(value))),
    drawing("text", { x: 0, y: total - 8 }, "milliseconds"),
    marks.map(
      (mark) =>
        [drawing("path", { class: "axis", d: `M${x(mark.time)} ${top - 6}V${total - 24}` }),
         drawing("text", { class: "label", x: x(mark.time) + 4, y: 12 }, visible(mark.name))]));
  const cursor = () => {
    chart.querySelector(".cursor")?.remove();
    const layout = report.layouts.find((one) => one.side === state.side);
    const first = state.page === null ? null : layout?.predictedPages.get(state.page)?.[0];
    const time = first && report.timeOfStep.get(first.step);
    if (time != null) chart.append(drawing("path", { class: "cursor", d: `M${x(time)} ${top}V${total - 24}` }));
  };
  state.listen(cursor);
  chart.addEventListener("click", (event) => {
    const time = ((event.offsetX / chart.clientWidth) * BOX.width - left) / (BOX.width - left - BOX.right) * end;
    const hit = hits.find((one) => one.time >= time) ?? hits.at(-1);
    const page = report.pageOfHit(hit);
    if (page) map.choose(page.layout, page.page);
  });
  return view(
    "timeline", "Timeline",
    element(
      "p", { class: "quiet" },
      `${counted(hits.length, "first hit")} in ${milliseconds(end)}, from the recorded launch. ` +
        "Each lane has its own height. Recording slows a launch down, so the order counts, not the duration."),
    chart,
    tableBeside(
      "first hits",
      [
        column("#", (hit) => number(hit.index + 1), { kind: "number" }),
        column("ms", (hit) => (hit.time / 1000).toFixed(3), { kind: "number" }),
        column("thread", (hit) => String(hit.thread), { kind: "number" }),
        column(
          "page",
          (hit) => {
            const page = report.pageOfHit(hit);
            return page ? page.layout.address(page.page * page.layout.pageSize) : "";
          },
          {
            show: (hit) => {
              const page = report.pageOfHit(hit);
              return page ? pageButton(map, page.layout, page.page) : "";
            }
          }),
        column("function", (hit) => hit.name, { kind: "name" })
      ],
      () => hits));
}

const METRICS = {
  wallTime: "wall time",
  cpuTime: "CPU time"
};

/** The measured launches, one point each, by state of the page cache and by build. */
function launchesView(report) {
  const measure = report.documents.measure;
  if (!measure) return null;
  const parts = measure.states.map((measured) => {
    const sides
      = measured.sides.map((side) => ({...side, times: side.launches.map((launch) => launch.wallNanoseconds / 1e6) }));
    const most = Math.max(...sides.flatMap((side) => side.times));
    const left = 80, row = 44, height = sides.length * row + 30;
    const x = (value) => left + (value / most) * (BOX.width - left - BOX.right - 8);
    const chart = drawing(
      "svg", {
        class: "chart",
        viewBox: `0 0 ${BOX.width} ${height}`,
        role: "img",
        "aria-label": `${measured.state} launches: ${
          sides.map((side) => `${side.name} median ${(side.wallNanoseconds.median / 1e6).toFixed(2)} ms`).join(", ")}`
      },
      sides.map((side, index) => {
        const middle = index * row + 22;
        return [
          drawing("text", { class: "label", x: 0, y: middle + 4 }, visible(side.name)),
          drawing("path", { class: "axis", d: `M${left} ${middle}H${BOX.width - BOX.right}` }),
          side.times.map(
            (time, launch) => drawing(
              "circle", { class: "point", cx: x(time).toFixed(1), cy: middle + ((launch * 7) % 5 - 2) * 4, r: 3 })),
          drawing(
            "path", { class: "median", d: `M${x(side.wallNanoseconds.median / 1e6).toFixed(1)} ${middle - 16}v32` })
        ];
      }),
      ticks(most, BOX.width > 600 ? 8 : 4)
        .map((value) => drawing("text", { x: x(value), y: height - 4, "text-anchor": "middle" }, number(value))),
      drawing("text", { x: 0, y: height - 4 }, "ms"));
    return [
      element("h3", {}, `${measured.state[0].toUpperCase()}${measured.state.slice(1)} launches`),
      ...measured.comparisons.map(
        (one) => element("p", {}, one.metrics.map((metric) => changeSentence(one, metric)).join(" "))),
      chart,
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
    element(
      "p", { class: "quiet" },
      "Wall time of each launch; the line is the median. The control is the build before, measured again: " +
        "its difference from itself is noise."),
    ...measure.limits.map((limit) => element("p", {}, `Limit: ${visible(limit)}.`)), parts.flat());
}

/** One metric of two builds in words, with its interval. */
const changeSentence = (comparison, metric) => {
  const noun = METRICS[metric.metric] ?? metric.metric;
  const interval = metric.low == null ? "" : ` (95% interval ${signed(metric.low)} to ${signed(metric.high)})`;
  return metric.verdict === "not shown" ?
    `${comparison.after} against ${comparison.before}: no difference in ${noun} that these launches show${interval}.` :
    `${comparison.after} takes ${percent(Math.abs(metric.change))} ${metric.verdict} ${noun} than ${comparison.before}${
      interval}.`;
};

/** A figure by commit. */
function historyView(report) {
  const entries = report.documents.history;
  if (!entries?.length) return null;
  const sorted = [...entries].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const seriesOf = (entry) => {
    const pageSize = entry.pageSizeBytes && byteCount(entry.pageSizeBytes);
    return [entry.source, entry.image, entry.architecture, pageSize, entry.state, entry.machine].filter(Boolean).join(", ");
  };
  const series = new Map();
  for (const entry of sorted)
    for (const metric of entry.metrics) {
      const name = `${metric.name} (${seriesOf(entry)})`;
      if (!series.has(name)) series.set(name, { unit: metric.unit, points: [] });
      series.get(name).points.push({ commit: entry.commit, time: entry.time, value: metric.value });
    }
  const place = element("div");
  const changes = (report.documents.trend?.series ?? [])
                    .flatMap(
                      (one) => one.metrics.flatMap(
                        (metric) => metric.changes.map((change) => ({ metric: metric.name, commit: change.commit }))));
  const show = (name) => {
    const { unit, points } = series.get(name);
    const chart = new Chart(
      `${name} over ${counted(points.length, "commit")}`, Math.max(1, points.length - 1),
      Math.max(...points.map((point) => point.value)), { xTitle: "commits", yTitle: unit, writeX: null, height: 200 });
    chart.steps(points.map((point, index) => [index, point.value]), "after");
    points.forEach((point, index) => {
      if (!changes.some((change) => change.commit === point.commit && name.startsWith(`${change.metric} (`))) return;
      chart.node.append(
        drawing("path", { class: "cursor", d: `M${chart.x(index)} ${BOX.top}V${chart.bottom}` }),
        drawing("text", { class: "label", x: chart.x(index) + 4, y: BOX.top + 10 }, point.commit.slice(0, 10)));
    });
    place.replaceChildren(
      chart.node,
      tableBeside(
        name,
        [
          column("time", (point) => point.time), column("commit", (point) => point.commit, { kind: "name" }),
          column(unit, (point) => number(point.value), { kind: "number" })
        ],
        () => points));
  };
  const select = element(
    "select", { id: "metric", onchange: () => show(select.value) },
    [...series.keys()].map((name) => element("option", { value: name }, visible(name))));
  show([...series.keys()][0]);
  return view("history", "History", element("div", { class: "tools" }, element("label", { for: "metric"
                                            }, "Figure"), select), place);
}
