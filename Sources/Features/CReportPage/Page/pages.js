// A page in words: what it is, why a launch touches it, and what would make that stop.

const CAUSES = {
  startupFunctions: "a startup function",
  linkageTable: "an entry of a linkage table",
  cRuntime: "code of the C runtime",
  initializer: "an initializer",
  mergedBody: "a merged body",
  constant: "a constant that code reads",
  firstPage: "the header",
  whole: "a section that is read as a whole",
  functionPart: "part of a function that was not entered",
  otherPath: "another path taken than the recorded one",
  newCode: "code that the recorded build lacks",
  noEntry: "a function of which no entry was recorded",
  coldPart: "a cold part that was split off",
  noSymbol: "code without a symbol",
};

/** A page in one line. */
function describePage(layout, page) {
  const section = layout.sectionOfPage(page);
  const measured = layout.measuredPages.get(page) ?? [];
  const how = ACCESSES.filter((_, access) => measured.some((touch) => touch.access === access)).join(", ");
  const isPredicted = layout.isPredicted(page);
  const touch = how && isPredicted ? `${how}, as predicted` :
    how                            ? how :
    isPredicted                    ? layout.method ? "only predicted" : "predicted" :
                                     "not touched";
  const run = layout.bytesOfPage(page);
  const owner = layout.ownerName(page);
  const first = measured[0] ? ` First by ${visible(measured[0].name)}.` : "";
  const title = layout.title ? `${layout.title}, page` : "Page";
  return `${title} ${layout.pageAddress(page)}, ${section?.name ?? "no section"}: ${touch}`
    + (layout.kinds[page] === CODE ? `; ${counted(run, "byte")} of startup code` : "")
    + (owner ? `; mostly ${owner === UNKNOWN_OWNER ? "of an unknown owner" : visible(owner)}.` : ".") + first;
}

/** Why a launch touches the page, or why it is only predicted, one sentence each. */
function reasons(layout, page, diff) {
  const sentences = [];
  const cell = layout.cells.get(page);
  if (cell?.functions) sentences.push(`Predicted: ${counted(cell.functions, "startup function")} on it.`);
  const causes = new Set(layout.touchesOnPage(page).map((touch) => touch.cause).filter((cause) => cause !== "startupFunctions"));
  for (const cause of causes) sentences.push(`Predicted: ${CAUSES[cause] ?? cause}.`);
  for (const touch of layout.measuredPages.get(page) ?? [])
    sentences.push(
      `First ${ACCESSES[touch.access]} by ${visible(touch.name)}${
        touch.symbol && touch.symbol !== touch.name ? `, at ${visible(touch.symbol)}` : ""}, as touch ${number(touch.step + 1)} of the launch.`);
  const address = layout.pageAddress(page);
  for (const one of diff?.measuredPages?.[layout.side]?.differences ?? [])
    if (one.address === address)
      sentences.push(`Only ${one.isExecuted ? "executed" : "predicted"}: ${CAUSES[one.cause] ?? one.cause}${
        one.function ? `, ${visible(one.function)}` : ""}.`);
  return sentences;
}

/** What would make the launch not touch the page. */
function remedy(layout, page) {
  if (!layout.isTouched(page)) return null;
  const measured = layout.measuredPages.get(page) ?? [];
  const cell = layout.cells.get(page);
  if (!cell)
    return measured.some((touch) => touch.access === 0) ?
      "No recorded code is on this page. Record this launch, so that gen knows the code that ran." :
      "Give gen or refine what pages wrote: they order variables and constants with a name. Strings without one, and what the "
        + "loader relocates, stay.";
  if (layout.method && !measured.length) return "Nothing to save: the measured launch does not touch this page.";
  if (!layout.canBeEmptied(page))
    return cell.functions ?
      "Not by an order file alone: the launch uses something on this page that no order file moves (see why it is touched)." :
      "Nothing that an order file moves.";
  if (cell.bytes / layout.pageSize > 0.9)
    return "This page is full of startup functions. Splitting off the parts that do not run may save the page (gen --split-profile).";
  const what = `${counted(cell.functions, "function")} (${byteCount(cell.bytes)} on this page)`;
  return layout.side === "before" ? `Order ${what} next to other startup functions.` :
                                    `Move ${what} to pages that are touched anyway, or split off the parts that do not run.`;
}
