// The verdict: what the image costs, in a few large figures, and which program they are about.

/** A figure with its title and remarks on it; measured figures are bold. */
const figure = (title, isMeasured, big, ...small) => element(
  "div", {}, element("dt", {}, title),
  element(
    "dd", {}, element("div", { class: `big${/\d/.test(big) ? "" : " words"}${isMeasured ? "" : " predicted"}` }, big),
    small.filter(Boolean).map((line) => element("div", { class: "quiet" }, line))));

const arrow = (counts) => counts.join(" \u2192 ");

/**
 * Pages of code by layout, measured if all layouts were, and the predicted pages with their floor; `null` if none are
 * known.
 */
function countsOf(report) {
  const { diff } = report.documents;
  const predicted = report.layouts.length ? report.layouts.map((one) => one.predictedPages) :
    diff?.textPages                       ? [diff.textPages.before, diff.textPages.after] :
                                            [];
  if (diff?.refusal || !predicted.length) return null;
  const isMeasured = report.layouts.length > 0 && report.layouts.every((layout) => layout.method);
  const pages = isMeasured ? report.layouts.map((layout) => layout.executedPages) : predicted;
  const floor = diff?.after.floorPages ?? report.layouts.at(-1)?.curve.at(-1)?.[2] ?? 0;
  return { predicted, isMeasured, pages, floor, above: predicted.at(-1) - floor };
}

function pageFigures({ pageSizeBytes }, counts) {
  if (!counts) return [];
  const { predicted, isMeasured, pages, floor, above } = counts;
  return [
    figure(
      `Pages of code, ${byteCount(pageSizeBytes)}, ${isMeasured ? "measured" : "predicted"}`, isMeasured, arrow(pages.map(number)),
      pages.length === 2 && pages[0] > 0 && element("span", { class: "change" }, signed(pages[1] / pages[0] - 1)),
      isMeasured && `predicted ${arrow(predicted.map(number))}`),
    floor > 0
      && figure(
        "Floor of the prediction, pages", false, number(floor), "the startup functions without gaps",
        above > 0 ? `the prediction is ${counted(above, "page")} above it` : "the prediction reaches it",
        isMeasured && pages.at(-1) < floor && "fewer pages are executed, because not all of each function runs"),
  ];
}

/** How many launches of each build were measured: `60 cold launches of each`, `60 and 58 launches`. */
function launchesOfSides(sides, state = "") {
  const counts = sides.map(({ launches }) => launches.length);
  const words = [state, counts.every((one) => one === 1) ? "launch" : "launches"].filter(Boolean).join(" ");
  return new Set(counts).size > 1 ? `${counts.map(number).join(" and ")} ${words}` : `${number(counts[0])} ${words} of each`;
}

/** The verdict in one sentence, without what is not known. */
function summary(counts, { measure }, isOfOtherBuilds) {
  const clauses = [];
  const times = [];
  if (counts) {
    const { isMeasured, pages: [before, after], floor, above } = counts;
    const how = isMeasured ? "measured" : "predicted";
    const change = before ? ` (${signed(after / before - 1)})` : "";
    clauses.push(
      after == null  ? `a launch ${isMeasured ? "executes" : "touches"} ${counted(before, "page")} of code, ${how}` :
      after < before ? `${number(before - after)} of ${counted(before, "page")} of code are gone${change}, ${how}` :
      after > before ? `${counted(after - before, "page")} of code more than the ${number(before)} before${change}, ${how}` :
                       `as many pages of code as before, ${number(after)}, ${how}`);
    if (floor > 0) clauses.push(above > 0 ? `the prediction is ${counted(above, "page")} above its floor` : "the prediction reaches its floor");
  }
  for (const { state, sides, wall } of wallTimes(measure)) {
    const where = `in ${launchesOfSides(sides, state)}`;
    times.push(
      wall.verdict === "not shown" ? `no difference in wall time shown ${where}` :
                                     `${percent(Math.abs(wall.change))} ${wall.verdict} wall time ${where}`);
  }
  // Times of other builds say nothing about these layouts, and get a sentence of their own.
  const sentences = isOfOtherBuilds ? [clauses, times.map((one, index) => index ? one : `other builds were measured: ${one}`)] : [[...clauses, ...times]];
  const words = sentences.filter((one) => one.length).map((one) => `${firstLetterUp(one.join("; "))}.`);
  return words.length ? element("p", { class: "summary" }, words.join(" ")) : null;
}

/** Pages of data, which are only known from traces with touches of data. */
function dataFigure({ diff }, pageSizeBytes) {
  const data = diff?.dataPages;
  if (!data) return null;
  const both = ({ before, after }) => arrow([number(before), number(after)]);
  const unplaced = data.unplacedTouches.before + data.unplacedTouches.after;
  return figure(
    `Pages of data, ${byteCount(pageSizeBytes)}, predicted`, false, both(data.pages),
    data.sections.map(({ name, pages }) => `${both(pages)} of ${visible(name)}`).join(", "),
    unplaced > 0 && `at most ${both(data.pagesAtMost)}: the places of some data are unknown`);
}

/** Faults of a cold launch by the model, for each way in which kernels read ahead. */
function coldFigure({ diff, measure }, isOfOtherBuilds) {
  const cold = diff?.linuxFaults?.cold ?? [];
  if (!cold.length) return null;
  const kernel = /^Linux (\d+)\.(\d+)/.exec(measure?.machine?.kernel ?? "")?.slice(1).map(Number);
  const isForward = kernel && (kernel[0] > 6 || (kernel[0] === 6 && kernel[1] >= 16));
  const ofKernel = kernel && cold.find((one) => (one.readAhead === "forward") === isForward);
  const first = ofKernel ?? cold[0];
  const faults = ({ majorFaults }) => arrow([number(majorFaults.before), number(majorFaults.after)]);
  const kernels = { forward: "Linux 6.16 and later", around: "Linux before 6.16" };
  const words = (one) => `read-ahead ${one.readAhead} (${kernels[one.readAhead] ?? "other kernels"})`;
  const disk = measure?.images?.[0]?.readAheadBytes;
  const assumed = diff.linuxFaults.readAheadBytes;
  const sides = !isOfOtherBuilds && measure?.states?.find(({ state }) => state === "cold")?.sides.filter(({ name }) => name !== "control");
  if (sides?.length) {
    return figure(
      "Major faults of a cold launch, measured", true, arrow(sides.map(({ launches }) => number(median(launches.map((one) => one.majorFaults))))),
      `median of ${launchesOfSides(sides)}, all files of the launch`,
      `by a model, code of the image alone: ${faults(first)}`);
  }
  return figure(
    "Major faults of a cold launch, by a model", false, faults(first), words(first) + (ofKernel ? ", as the kernel here" : ""),
    ...cold.filter((one) => one !== first).map((one) => `${faults(one)} with ${words(one)}`),
    `code alone, fault-around ${byteCount(diff.linuxFaults.faultAroundBytes)}, read-ahead ${byteCount(assumed)}${
      disk && disk !== assumed ? `, where the measured disk has ${byteCount(disk)}` : ""}`);
}

/** The change of wall time in each state of the page cache, and that of the control. */
const wallTimes = (measure) => (measure?.states ?? []).map((measured) => {
  const wallOf = (name) => measured.comparisons.find((one) => (one.after === "control") === (name === "control"))
                             ?.metrics.find((metric) => metric.metric === "wallTime");
  const { state, sides } = measured;
  return { state, sides: sides.filter(({ name }) => name !== "control"), wall: wallOf("after"), control: wallOf("control") };
}).filter(({ wall }) => wall);

const timeFigures = ({ measure }, isOfOtherBuilds) => wallTimes(measure).map(({ state, sides, wall, control }) => {
  const interval = (one) => `${signed(one.low)} to ${signed(one.high)}`;
  return figure(
    `Wall time, ${state} launches, measured${isOfOtherBuilds ? ", of other builds" : ""}`, true, wall.verdict === "not shown" ? "no difference shown" : signed(wall.change),
    wall.low != null && `95% interval ${interval(wall)}`, control?.low != null && `control ${interval(control)}`,
    launchesOfSides(sides));
});

/** The resident memory of the process and of the image, which launches of their own have. */
function memoryFigure({ measure }) {
  const sides = measure?.memory?.sides.filter(({ name }) => name !== "control") ?? [];
  if (!sides.length) return null;
  const of = (key) => arrow(sides.map(({ launches }) => byteCount(Math.round(median(launches.map((one) => one[key]))))));
  const changes = measure.memory.comparisons.find(({ after }) => after === "after")?.metrics ?? [];
  const change = (name) => {
    const found = changes.find(({ metric }) => metric === name);
    if (!found) return "";
    if (found.verdict === "not shown") return ": no difference shown";
    return found.low == null ? `: ${signed(found.change)}` : `: ${signed(found.change)}, 95% interval ${signed(found.low)} to ${signed(found.high)}`;
  };
  const systems = [...new Set(sides.map((side) => side.fileSystem ?? "an unknown file system"))];
  return figure(
    `RSS of the process ${sides[0].moment === "end" ? "at its end" : "when ready"}, measured`, true, of("rssBytes"),
    `process${change("rss")}`, `image ${of("imageRSSBytes")}${change("imageRSS")}`, `PSS of the image ${of("imagePSSBytes")}${change("imagePSS")}`,
    `median of ${launchesOfSides(sides, "warm")}, on ${visible(systems.join(" and "))}`);
}

/** Which build of which program each layout is. */
function identity(report) {
  return report.layouts.map((layout) => {
    const facts = [visible(layout.path), layout.architecture, layout.id ? `image ID ${layout.id}` : "no image ID: a link map"];
    return [element("dt", {}, layout.title || "Image"), element("dd", {}, facts.filter(Boolean).join(", "))];
  });
}

function verdictView(report, state) {
  const { diff, measure } = report.documents;
  const machine = measure?.machine;
  const warning = (text) => element("p", { class: "warning" }, element("strong", {}, "Warning: "), visible(text), ".");
  const counts = countsOf(report);
  const figures = [...pageFigures(report, counts), dataFigure(report.documents, report.pageSizeBytes), coldFigure(report.documents, report.stored.measuresOtherBuilds), ...timeFigures(report.documents, report.stored.measuresOtherBuilds), memoryFigure(report.documents)].filter(Boolean);
  return view(
    "verdict", "Verdict", report.check && outcomeLine(report.check, state), summary(counts, report.documents, report.stored.measuresOtherBuilds), figures.length > 0 && element("dl", { class: "figures" }, figures),
    diff?.refusal && element("p", {}, visible(diff.refusal)),
    diff?.dataPagesUnknown && element("p", {}, `Pages of data are not predicted: ${visible(diff.dataPagesUnknown)}.`),
    (diff?.warnings ?? []).map((one) => warning(one.message + (one.hint ? `; hint: ${one.hint}` : ""))),
    report.stored.limits.map((limit) => element("p", { class: "warning" }, element("strong", {}, "Left out: "), visible(limit), ".")),
    report.layouts.length > 0 && element("dl", { class: "facts" }, identity(report)),
    note(
      machine ?
        `${visible(machine.processor ?? "")}, ${counted(machine.processors, "processor")}, ${visible(machine.kernel)}, pages of ${
          byteCount(machine.pageBytes)}, fault-around ${byteCount(machine.faultAroundBytes)}, read-ahead ${
          byteCount(measure.images[0]?.readAheadBytes ?? 0)}.` :
        "No times were measured."));
}
