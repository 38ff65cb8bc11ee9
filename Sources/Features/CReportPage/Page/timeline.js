// The launch over time: marks, first hits by thread, and the pages that are touched for the first
// time. Below it are the page faults of launches that were not recorded, with an axis for the launches with each cache.

const MOST_THREADS = 12;
const LANE = 40;
const LANE_TITLE = 92;

function timelineView(report, map, state) {
  const { hits, marks } = report;
  const faults = faultsOfLaunches(report, map, state);
  if (!hits.length) return faults && view("timeline", "Timeline", faults);
  const end = Math.max(largest(hits.map((hit) => hit.time), 1), largest(marks.map((mark) => mark.time)));
  const byThread = new Map();
  for (const hit of hits) {
    if (!byThread.has(hit.thread)) byThread.set(hit.thread, []);
    byThread.get(hit.thread).push(hit.time);
  }
  const threads = [...byThread];
  const lanes = threads.slice(0, threads.length > MOST_THREADS ? MOST_THREADS - 1 : MOST_THREADS)
                  .map(([thread, times]) => ({ title: `thread ${thread}`, times, name: "hits" }));
  if (threads.length > lanes.length)
    lanes.push({
      title: `${threads.length - lanes.length} threads`,
      times: threads.slice(lanes.length).flatMap(([, times]) => times),
      name: "hits"
    });
  for (const layout of report.layouts) {
    const times = [...layout.cells.values()].map((cell) => report.timeOfStep.get(cell.step)).filter((time) => time != null);
    if (times.length) lanes.push({ title: `pages${layout.suffix}`, times, name: `${layout.side} fill` });
  }
  const place = element("div");
  let chart;
  const top = marks.length ? 34 : 4;
  const total = top + lanes.length * LANE + 26;
  let x;
  const cursor = () => {
    if (!chart) return;
    for (const old of chart.querySelectorAll(".cursor, .found")) old.remove();
    const first = state.page === null ? null : report.layoutOf(state.side)?.cells.get(state.page);
    const time = first && report.timeOfStep.get(first.step);
    if (time != null) chart.append(drawing("path", { class: "cursor", d: `M${x(time)} ${top}V${total - 24}` }));
    const found = map?.search?.hits() ?? [];
    if (found.length)
      chart.append(drawing("path", { class: "found", d: found.map((hit) => `M${x(hit.time).toFixed(1)} ${total - 26}v-8`).join("") }));
  };
  drawnToWidth(place, (width) => {
    x = (time) => LANE_TITLE + (time / end) * (width - LANE_TITLE - RIGHT);
    chart = timelineChart(lanes, marks, end, { width, top, total, x });
    chart.addEventListener("click", (event) => {
      const at = event.clientX - chart.getBoundingClientRect().left;
      const time = ((at - LANE_TITLE) / (width - LANE_TITLE - RIGHT)) * end;
      const found = report.pageOfHit(hits[Math.min(hits.length - 1, firstPlace(hits, (hit) => hit.time >= time))]);
      if (found) map?.choose(found.layout, found.page);
    });
    place.replaceChildren(chart);
    cursor();
  });
  state.listen(cursor);
  const trace = report.traces.length > 1 ? `, the first of ${report.traces.length} with times` : "";
  const pageOf = (hit) => {
    const found = report.pageOfHit(hit);
    return found && map ? [map, found.layout, found.page] : null;
  };
  return view(
    "timeline", "Timeline",
    note(
      `${counted(hits.length, "first hit")} in ${milliseconds(end)}, from the launch that ${
        visible(report.stored.hits.path)} recorded${trace}. `,
      "Each lane has its own height. Recording slows a launch down, so the order counts, not the duration. ",
      report.layouts.length > 0 && "The time of a page is the time of the first hit on it."),
    place,
    tableBeside(
      "first hits",
      [
        column("#", (hit) => number(hit.index + 1), { kind: "number" }),
        column("ms", (hit) => (hit.time / 1000).toFixed(3), { kind: "number" }),
        column("thread", (hit) => String(hit.thread), { kind: "number" }),
        column("page", (hit) => (pageOf(hit) ? pageOf(hit)[1].pageAddress(pageOf(hit)[2]) : ""), {
          show: (hit) => (pageOf(hit) ? pageButton(...pageOf(hit)) : "")
        }),
        column("function", (hit) => hit.name, { kind: "name" })
      ],
      () => hits),
    marks.length > 0
      && tableBeside(
        "marks",
        [
          column("ms", (mark) => (mark.time / 1000).toFixed(3), { kind: "number" }),
          column("mark", (mark) => mark.name, { kind: "name" })
        ],
        () => marks),
    faults);
}

/** Lanes of bars: the height of a bar is the number of times at its place. */
function timelineChart(lanes, marks, end, { width, top, total, x }) {
  const bins = Math.max(20, Math.round(width / 6));
  const bar = (name, bin, length, bottom) => drawing("rect", {
    class: name,
    x: x((bin / bins) * end).toFixed(1),
    width: ((width - LANE_TITLE - RIGHT) / bins - 0.6).toFixed(2),
    y: (bottom - Math.max(2, length)).toFixed(1),
    height: Math.max(2, length).toFixed(1),
  });
  const counts = (times) => {
    const counts = Array.from({ length: bins }, () => 0);
    for (const time of times) counts[Math.min(bins - 1, Math.floor((time / end) * bins))]++;
    return counts;
  };
  let labelEnd = [-Infinity, -Infinity];
  return drawing(
    "svg", {
      class: "chart",
      width,
      height: total,
      viewBox: `0 0 ${width} ${total}`,
      role: "img",
      "aria-label":
        `First hits over ${milliseconds(end)}: ${lanes.map((one) => `${one.title} ${one.times.length}`).join(", ")}`
    },
    lanes.map((one, index) => {
      const bottom = top + (index + 1) * LANE - 6;
      const all = counts(one.times);
      const most = largest(all, 1);
      return [
        drawing("path", { class: "axis", d: `M${LANE_TITLE} ${bottom}H${width - RIGHT}` }),
        drawing("text", { x: 0, y: bottom - 14 }, one.title),
        drawing("text", { x: 0, y: bottom }, number(one.times.length)),
        all.map((count, bin) => count > 0 && bar(one.name, bin, (count / most) * (LANE - 10), bottom)),
      ];
    }),
    ticks(end / 1000, width > 600 ? 8 : 4)
      .map((value) => drawing("text", { x: x(value * 1000), y: total - 8, "text-anchor": "middle" }, number(value))),
    drawing("text", { x: 0, y: total - 8 }, "milliseconds"),
    marks.map((mark) => {
      // Names of marks that are close together stand in two rows; names that do not fit there are in the table.
      const text = visible(mark.name).slice(0, 24);
      const row = labelEnd.findIndex((one) => one < x(mark.time));
      if (row >= 0) labelEnd[row] = x(mark.time) + 8 + text.length * 6.5;
      return [
        drawing("path", { class: "mark", d: `M${x(mark.time)} ${top - 6}V${total - 24}` }),
        row >= 0 && drawing("text", { class: "label", x: x(mark.time) + 3, y: 12 + row * 13 }, text),
      ];
    }));
}

/** The page faults of launches, with one key. For comparison, launches with one cache have the same scale and lanes. */
function faultsOfLaunches(report, map, state) {
  if (!report.faults.length) return null;
  const listed = report.faults.flatMap((launch) => launch.list);
  const parts = FAULT_PARTS.map((words, part) => ({ words, part })).filter(({ part }) => listed.some((fault) => fault.part === part));
  const alike = (launch) => report.faults.filter((one) => one.stored.cache === launch.stored.cache);
  const key = [[false, "minor: the page was in memory"], [true, "major: the page was read from a device"]];
  return element(
    "div", {}, element("h3", {}, "Page faults"),
    listed.length > 0
      && [note("Measured in launches that were not recorded. The tick at the end of a line is the end of its launch."),
          element(
            "ul", { class: "key" },
            key.map(([isMajor, words]) => element(
              "li", {},
              drawing("svg", { class: "chart", width: 12, height: 26, "aria-hidden": "true" }, faultLines([{ isMajor }], () => 6, 26)),
              words)))],
    report.faults.map((launch) => faultLanes(launch, parts, axisEnd(alike(launch)), map, state)));
}

/**
 * The page faults of a launch, a lane for each part: a short line for a minor fault, a long one with a head for a major one.
 * @param usualEnd where the axes of launches with this cache end
 */
function faultLanes(launch, parts, usualEnd, map, state) {
  const { stored, list } = launch;
  const isSlow = launch.end > usualEnd;
  const end = isSlow ? launch.end : usualEnd;
  const title = element("h4", {}, firstLetterUp(launch.title));
  if (stored.refusal)
    return element(
      "div", {}, title,
      note(`Measured: ${counted(stored.majorFaults, "major fault")} and ${number(stored.minorFaults)} minor ones. `,
           `They are not listed: ${visible(stored.refusal)}.`));
  const lanes = parts.map(({ words, part }) => ({ words, faults: list.filter((fault) => fault.part === part) }));
  const place = element("div");
  const total = lanes.length * LANE + 26;
  let [chart, x] = [];
  const cursor = () => {
    chart?.querySelector(".cursor")?.remove();
    const found = state.page !== null && launch.layout?.side === state.side ? launch.onPage(launch.layout, state.page) : [];
    if (found.length)
      chart?.append(drawing(
        "path", { class: "cursor", d: found.map((fault) => `M${x(fault.time).toFixed(1)} 0V${total - 24}`).join("") }));
  };
  drawnToWidth(place, (width) => {
    x = (time) => LANE_TITLE + (time / end) * (width - LANE_TITLE - RIGHT);
    chart = faultChart(launch, lanes, { width, total, x, end });
    chart.addEventListener("click", (event) => {
      const at = event.clientX - chart.getBoundingClientRect().left;
      const distance = (fault) => Math.abs(x(fault.time) - at);
      const onPages = list.filter((fault) => fault.page !== null);
      const nearest = onPages.reduce((best, fault) => (best && distance(best) <= distance(fault) ? best : fault), null);
      if (nearest) map?.choose(launch.layout, nearest.page);
    });
    place.replaceChildren(chart);
    cursor();
  });
  state.listen(cursor);
  return element(
    "div", {}, title, note(`${firstLetterUp(launch.summary)}: `, code(stored.command.map(shellWord).join(" ")), "."),
    isSlow && note("This launch took far longer than the others, so its axis has another scale."),
    ...stored.limits.map((limit) => element("p", { class: "warning" }, `Limit: ${visible(limit)}.`)), place,
    tableBeside(
      `page faults, ${launch.title}`,
      [
        column("ms", (fault) => (fault.time / 1000).toFixed(3), { kind: "number" }),
        column("took ms", (fault) => (fault.took / 1000).toFixed(3), { kind: "number" }),
        column("kind", (fault) => (fault.isMajor ? "major" : "minor")),
        column("where", (fault) => fault.place),
        launch.layout && faultPage(launch, map),
        column("what", (fault) => fault.name, { kind: "name" }),
        column("by", (fault) => fault.by, { kind: "name" })
      ].filter(Boolean),
      () => list));
}

/** The lines of faults, from `bottom` up. */
function faultLines(faults, x, bottom) {
  const path = (isMajor, draw) => faults.filter((fault) => fault.isMajor === isMajor)
                                    .map((fault) => draw(x(fault.time).toFixed(1)))
                                    .join("");
  const minor = path(false, (at) => `M${at} ${bottom}v-${MINOR_LENGTH}`);
  const major = path(true, (at) => `M${at} ${bottom}v-${MAJOR_LENGTH - 4}l-3-4h6l-3 4`);
  return [
    minor && drawing("path", { class: "fault minor", d: minor }), major && drawing("path", { class: "fault major", d: major })
  ];
}

function faultChart(launch, lanes, { width, total, x, end }) {
  return drawing(
    "svg", {
      class: "chart",
      width,
      height: total,
      viewBox: `0 0 ${width} ${total}`,
      role: "img",
      "aria-label": `Page faults over ${milliseconds(launch.end)}: ${
        lanes
          .map(({ words, faults }) => `${words} ${faults.filter((fault) => fault.isMajor).length} major, ${
            faults.filter((fault) => !fault.isMajor).length} minor`)
          .join("; ")}`
    },
    lanes.map(({ words, faults }, index) => {
      const bottom = (index + 1) * LANE - 6;
      return [
        drawing("path", { class: "axis", d: `M${LANE_TITLE} ${bottom}H${x(launch.end).toFixed(1)}v-4` }),
        drawing("text", { x: 0, y: bottom - 14 }, words), drawing("text", { x: 0, y: bottom }, number(faults.length)),
        faultLines(faults, x, bottom)
      ];
    }),
    ticks(end / 1000, width > 600 ? 8 : 4)
      .map((value) => drawing("text", { x: x(value * 1000), y: total - 8, "text-anchor": "middle" }, number(value))),
    drawing("text", { x: 0, y: total - 8 }, "milliseconds"));
}
