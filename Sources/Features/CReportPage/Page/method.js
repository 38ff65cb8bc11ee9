// What is predicted and what measured, what the report lacks, and its data.

function methodView(report) {
  const { absent, layouts, stored } = report;
  const predicted = predictedFigures(report);
  return view(
    "method", "Method",
    element(
      "p", {},
      "Predicted figures follow from the layouts and the recorded launch. Measured figures are counts and times of real launches. ",
      "A page counts once, at its first touch. An owner is a module, an archive or a source file, where one is known",
      layouts.length > 1 ? "; both layouts use the owners of the layout before." : "."),
    report.layouts.length > 0
      && element(
        "p", {},
        "A first hit is an event of the recording that the timeline shows. A first use is a step of the prediction: the first ",
        "use of a function, or of a part of it, in any of the given launches. Their numbers differ if several launches or basic ",
        "blocks were recorded. Predicted pages are counted as ", code("orderfile diff"), " counts them, with a page of the header that is read."),
    predicted.length > 0 && figuresTable("what is predicted", predicted),
    report.traces.length > 0
      && note(`${counted(report.traces.length, "trace")}: ${report.traces.slice(0, 10).map(visible).join(", ")}${
        report.traces.length > 10 ? ` and ${number(report.traces.length - 10)} more` : ""}.`),
    layouts.map(
      (layout) => note(
        `${layout.title ? layout.title + ": " : ""}${counted(layout.functions.length, "function")} of ${
          number(layout.functionCount)} are in this report: those on touched pages.`)),
    stored.unproved.map((sentence) => note(visible(sentence), ".")),
    absent.length > 0
      && [note("This report has no data for what follows; these commands make them:"),
          element("ul", {}, absent.map((one) => element("li", {}, `${firstLetterUp(visible(one.view))}: `, code(one.command))))],
    element(
      "p", {}, `The data of this page are one JSON document, ${visible(stored.schema)}. `,
      copyButton("Copy the data as JSON", () => JSON.stringify(stored, null, 1))));
}
