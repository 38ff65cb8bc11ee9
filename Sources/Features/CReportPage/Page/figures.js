// The figures of the report as two tables: the measured ones, and the predicted ones. No row mixes the two.

/** A row of figures; `values` has a text for each build. */
const figure = (title, values, change, words) => ({ title, values, change, words });

const changeOf = (values) => (values.length === 2 && values[0] > 0 ? signed(values[1] / values[0] - 1) : "");

/** The measured pages of each kind of segment. Without a touch in any layout, a kind has no row. */
function pageFigures({ layouts, pageSizeBytes }) {
  if (!layouts.length || !layouts.every((layout) => layout.method)) return [];
  const size = byteCount(pageSizeBytes);
  const row = (title, counts) => figure(`${title}, ${size}`, counts.map(number), changeOf(counts), "one launch");
  const ofKind = (kind) => layouts.map(
    (layout) => [...layout.measuredPages.keys()].filter((page) => layout.kinds[page] === kind).length);
  return [
    row("pages of code executed", layouts.map((layout) => layout.executedPages)),
    ...[["read-only pages touched", 1], ["pages of data touched", 3]]
      .map(([title, kind]) => [title, ofKind(kind)]).filter(([, counts]) => counts.some((one) => one > 0))
      .map(([title, counts]) => row(title, counts)),
  ];
}

/** How many launches of each build were measured: `60 cold launches of each`, `60 and 58 launches`. */
function launchesOfSides(sides, state = "") {
  const counts = sides.map(({ launches }) => launches.length);
  const words = [state, counts.every((one) => one === 1) ? "launch" : "launches"].filter(Boolean).join(" ");
  return new Set(counts).size > 1 ? `${counts.map(number).join(" and ")} ${words}` : `${number(counts[0])} ${words} of each`;
}

/** The change of wall time in each state of the page cache, and that of the control. */
const wallTimes = (measure) => (measure?.states ?? []).map((measured) => {
  const wallOf = (name) => measured.comparisons.find((one) => (one.after === "control") === (name === "control"))
                             ?.metrics.find((metric) => metric.metric === "wallTime");
  const { state, sides } = measured;
  return { state, sides: sides.filter(({ name }) => name !== "control"), wall: wallOf("after"), control: wallOf("control") };
}).filter(({ wall }) => wall);

const intervalOf = (metric) => (metric?.low == null ? "" : `${signed(metric.low)} to ${signed(metric.high)}`);

/**
 * Why cold launches of this measurement cannot show what an order of pages is worth: the disk reads each whole image with
 * its first page. `null` if they can.
 */
function blindDisk(measure) {
  const images = measure?.images ?? [];
  if (!images.length || !images.every((one) => one.readAheadBytes >= one.bytes)) return null;
  return `this disk cannot show a difference in cold launches: it reads ${byteCount(images[0].readAheadBytes)} ahead, the whole image`;
}

const timeFigures = ({ measure }) => wallTimes(measure).map(({ state, sides, wall, control }) => {
  const blind = state === "cold" && wall.verdict === "not shown" ? blindDisk(measure) : null;
  return figure(
    `wall time, ${state} launches`, sides.map((side) => `${(side.wallNanoseconds.median / 1e6).toFixed(2)} ms`),
    wall.verdict === "not shown" ? "no difference shown" : signed(wall.change),
    [
      blind, `median of ${launchesOfSides(sides)}`, wall.low != null && `95% interval ${intervalOf(wall)}`,
      control?.low != null && `the build before against itself ${intervalOf(control)}`
    ].filter(Boolean).join("; "));
});

/** The major faults of cold launches: of `measure`, or else of the `faults` documents. */
function coldFaultFigures({ documents: { measure }, faults }) {
  const sides = measure?.states?.find(({ state }) => state === "cold")?.sides.filter(({ name }) => name !== "control") ?? [];
  if (sides.length) {
    const medians = sides.map(({ launches }) => median(launches.map((one) => one.majorFaults)));
    return [figure(
      "major faults of a cold launch", medians.map(number), changeOf(medians),
      [medians.length > 1 && medians[0] === medians[1] && blindDisk(measure), `median of ${launchesOfSides(sides)}, all files of the launch`].filter(Boolean).join("; "))];
  }
  const cold = faults.filter((launch) => launch.stored.cache === "cold");
  const ofSides = ["before", "after", "only"].map((side) => cold.filter((launch) => launch.stored.side === side)).filter((one) => one.length);
  if (!ofSides.length) return [];
  const medians = ofSides.map((launches) => median(launches.map((one) => one.stored.majorFaults)));
  return [figure(
    "major faults of a cold launch", medians.map(number), changeOf(medians),
    `${ofSides.map((one) => one.length).join(" and ")} ${cold.length > 1 ? "launches" : "launch"}, all files of the launch`)];
}

/** The resident memory of the process and of the image, which launches of their own have. */
function memoryFigures({ measure }) {
  const sides = measure?.memory?.sides.filter(({ name }) => name !== "control") ?? [];
  if (!sides.length) return [];
  const changes = measure.memory.comparisons.find(({ after }) => after === "after")?.metrics ?? [];
  const systems = [...new Set(sides.map((side) => side.fileSystem ?? "an unknown file system"))];
  const moment = sides[0].moment === "end" ? "at its end" : "when ready";
  return [["rss", "rssBytes", `RSS of the process ${moment}`], ["imageRSS", "imageRSSBytes", "RSS of the image"],
          ["imagePSS", "imagePSSBytes", "PSS of the image"]].map(([metric, key, title]) => {
    const found = changes.find((one) => one.metric === metric);
    return figure(
      title, sides.map(({ launches }) => byteCount(Math.round(median(launches.map((one) => one[key]))))),
      !found ? "" : found.verdict === "not shown" ? "no difference shown" : signed(found.change),
      [`median of ${launchesOfSides(sides, "warm")}`, intervalOf(found) && `95% interval ${intervalOf(found)}`, `on ${visible(systems.join(" and "))}`]
        .filter(Boolean).join("; "));
  });
}

/** What was measured; times of other builds than the layouts are marked as such. */
function measuredFigures(report) {
  const ofMeasure = [...coldFaultFigures(report), ...timeFigures(report.documents), ...memoryFigures(report.documents)];
  if (report.stored.measuresOtherBuilds) for (const one of ofMeasure) one.words += "; of other builds";
  return [...pageFigures(report), ...ofMeasure];
}

/** Pages of data, which are only known from traces with touches of data. */
function dataFigures({ diff }, pageSizeBytes) {
  const data = diff?.dataPages;
  if (!data) return [];
  const both = ({ before, after }) => [number(before), number(after)];
  const unplaced = data.unplacedTouches.before + data.unplacedTouches.after;
  return [figure(
    `pages of data, ${byteCount(pageSizeBytes)}`, both(data.pages), changeOf([data.pages.before, data.pages.after]),
    [
      ...data.sections.map(({ name, pages }) => `${both(pages).join(" and ")} of ${visible(name)}`),
      unplaced > 0 && `at most ${both(data.pagesAtMost).join(" and ")}: the places of some data are unknown`
    ].filter(Boolean).join("; "))];
}

/** Faults of a cold launch by the model, for each way in which kernels read ahead; that of the measured kernel first. */
function modelFigures({ diff, measure }) {
  const cold = diff?.linuxFaults?.cold ?? [];
  const kernel = /^Linux (\d+)\.(\d+)/.exec(measure?.machine?.kernel ?? "")?.slice(1).map(Number);
  const isForward = kernel && (kernel[0] > 6 || (kernel[0] === 6 && kernel[1] >= 16));
  const isHere = (one) => kernel != null && (one.readAhead === "forward") === isForward;
  const kernels = { forward: "Linux 6.16 and later", around: "Linux before 6.16" };
  const disk = measure?.images?.[0]?.readAheadBytes;
  const assumed = diff?.linuxFaults?.readAheadBytes;
  return cold.toSorted((a, b) => isHere(b) - isHere(a)).map((one) => {
    const { before, after } = one.majorFaults;
    return figure(
      `major faults of a cold launch, ${kernels[one.readAhead] ?? one.readAhead}`, [number(before), number(after)], changeOf([before, after]),
      [
        isHere(one) && "the kernel of the measurement",
        `code alone, fault-around ${byteCount(diff.linuxFaults.faultAroundBytes)}, read-ahead ${byteCount(assumed)}${
          disk && disk !== assumed ? `, where the measured disk has ${byteCount(disk)}` : ""}`
      ].filter(Boolean).join("; "));
  });
}

/** What follows from the layouts and the recorded launch. */
function predictedFigures(report) {
  const counts = countsOf(report);
  const { diff } = report.documents;
  const pages = counts && [
    figure(`pages of code, ${byteCount(report.pageSizeBytes)}`, counts.predicted.map(number), changeOf(counts.predicted), ""),
    counts.floor > 0
      && figure(
        "floor: pages of the startup functions without gaps", counts.predicted.map((_, index) => index === counts.predicted.length - 1 ? number(counts.floor) : ""), "",
        [
          counts.above > 0 ? `the prediction is ${counted(counts.above, "page")} above it` : "the prediction reaches it",
          counts.isMeasured && counts.pages.at(-1) < counts.floor && "fewer pages are executed, because not all of each function runs"
        ].filter(Boolean).join("; ")),
  ].filter(Boolean);
  return diff?.refusal ? [] : [...(pages ?? []), ...dataFigures(report.documents, report.pageSizeBytes), ...modelFigures(report.documents)];
}

/** A table of figures, with a column for each build. */
function figuresTable(caption, figures) {
  const most = largest(figures.map((one) => one.values.length));
  const isPair = most === 2;
  return table(caption, [
    column("figure", (one) => firstLetterUp(one.title), { kind: "short" }),
    ...Array.from({ length: most }, (_, index) => column(isPair ? ["before", "after"][index] : "value", (one) => one.values[index] ?? "", { kind: "number" })),
    isPair && column("change", (one) => one.change, { kind: "number" }),
    column("of what", (one) => one.words, { kind: "name" }),
  ].filter(Boolean), figures);
}
