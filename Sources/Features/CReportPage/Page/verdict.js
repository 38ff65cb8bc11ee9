// The verdict: what the image costs, in a sentence, a picture and a table, and which program they are about.

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

/** The verdict in one sentence, without what is not known. */
function summary(counts, { documents: { measure }, stored: { measuresOtherBuilds: isOfOtherBuilds, nextSteps } }) {
  const hasSteps = nextSteps?.length > 0;
  const clauses = [];
  const times = [];
  if (counts) {
    const { isMeasured, pages: [before, after], floor, above } = counts;
    const how = isMeasured ? "measured" : "predicted";
    const touches = `a launch ${isMeasured ? "executes" : "touches"}`;
    const change = before ? ` (${signed(after / before - 1)})` : "";
    clauses.push(
      after == null   ? `${touches} ${counted(before, "page")} of code, ${how}` :
      after != before ? `${touches} ${counted(after, "page")} of code instead of ${number(before)}${change}, ${how}` :
                        `${touches} as many pages of code as before, ${number(after)}, ${how}`);
    if (floor > 0 && !hasSteps) clauses.push(above > 0 ? `an order of functions could save at most ${counted(above, "page")} more, predicted` : "no order of functions could save more, predicted");
  }
  for (const { state, sides, wall } of wallTimes(measure)) {
    const where = `in ${launchesOfSides(sides, state)}`;
    const blind = state === "cold" ? blindDisk(measure) : null;
    times.push(
      wall.verdict !== "not shown" ? `${percent(Math.abs(wall.change))} ${wall.verdict} wall time ${where}` :
      blind                        ? blind :
                                     `no difference in wall time shown ${where}`);
  }
  // Times of other builds say nothing about these layouts, and get a sentence of their own.
  const sentences = isOfOtherBuilds ? [clauses, times.map((one, index) => index ? one : `other builds were measured: ${one}`)] : [[...clauses, ...times]];
  const words = sentences.filter((one) => one.length).map((one) => `${firstLetterUp(one.join("; "))}.`);
  return words.length ? element("p", { class: "summary" }, words.join(" ")) : null;
}

/** Which build of which program each layout is. */
function identity(report) {
  return report.layouts.map((layout) => {
    const facts = [visible(layout.path), layout.architecture, layout.id ? `image ID ${layout.id}` : "no image ID: a link map"];
    return [element("dt", {}, layout.title || "Image"), element("dd", {}, facts.filter(Boolean).join(", "))];
  });
}

/** The machine on which times were measured. */
function machineWords({ measure }) {
  const { machine } = measure;
  return note(`${visible(machine.processor ?? "")}, ${counted(machine.processors, "processor")}, ${visible(machine.kernel)}, pages of ${
    byteCount(machine.pageBytes)}, fault-around ${byteCount(machine.faultAroundBytes)}, read-ahead ${
    byteCount(measure.images[0]?.readAheadBytes ?? 0)}.`);
}

function verdictView(report, map, state) {
  const { diff, measure } = report.documents;
  const warning = (text) => element("p", { class: "warning" }, element("strong", {}, "Warning: "), visible(text), text.endsWith("?") ? "" : ".");
  const counts = countsOf(report);
  const measured = measuredFigures(report);
  return view(
    "verdict", "Verdict", report.check && outcomeLine(report, state), summary(counts, report),
    nextStep(report, state), map && new Overview(report, map, state).node,
    diff?.refusal && element("p", {}, visible(diff.refusal)),
    diff?.dataPagesUnknown && element("p", {}, `Pages of data are not predicted: ${visible(diff.dataPagesUnknown)}.`),
    (diff?.warnings ?? []).map((one) => warning(one.message + (one.hint ? `; hint: ${one.hint}` : ""))),
    report.stored.limits.map((limit) => element("p", { class: "warning" }, element("strong", {}, "Left out: "), visible(limit), ".")),
    measured.length ? figuresTable("what was measured", measured) : note("Nothing was measured. Method has the predicted figures."),
    report.layouts.length > 0 && element("dl", { class: "facts" }, identity(report)),
    measure && machineWords(report.documents));
}
