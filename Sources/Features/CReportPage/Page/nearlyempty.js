// Pages that are touched for a few bytes, how many of them an order file would save, and what would save each.

/** The pages of a layout with few startup bytes, fewest first, and how many of them an order could save. */
function nearlyEmptyOf(layout) {
  const most = layout.pageSize / 16;
  const few = [...layout.cells].filter(([page, cell]) => {
    const wasMeasured = !layout.method || layout.measuredPages.has(page);
    return cell.functions > 0 && cell.bytes <= most && wasMeasured;
  }).map(([page, cell]) => ({ page, bytes: cell.bytes, functions: layout.usedOnPage(page), canMove: layout.canBeEmptied(page) }));
  few.sort((a, b) => a.bytes - b.bytes || a.page - b.page);
  const movable = few.filter((one) => one.canMove);
  const bytes = movable.reduce((sum, one) => sum + one.bytes, 0);
  const pages = Math.ceil(bytes / layout.pageSize);
  return { few, most, movable, bytes, pages, saving: Math.max(0, movable.length - pages) };
}

/** What would make a launch not touch a nearly empty page. */
function emptied(report, layout, { page, functions, canMove }) {
  const outside = functions.filter((one) => report.isOutsideOrder(one));
  if (outside.length === functions.length && canMove)
    return `put ${functions.length === 1 ? "this function" : "these functions"} into the order file: record again`;
  return remedy(layout, page) ?? "";
}

function nearlyEmptyView(report, map) {
  const layout = report.layouts.at(-1);
  if (!layout) return null;
  const { few, most, movable, bytes, pages, saving } = nearlyEmptyOf(layout);
  const others = few.length - movable.length;
  const where = layout.title ? `${layout.title}: a` : "A";
  const lines = few.length ?
    [
      `${where} launch touches ${counted(few.length, "page")} of code for at most ${number(most)} bytes each.`,
      saving > 0
        && `An order file could save ${counted(saving, "page")}: the ${byteCount(bytes)} of ${
          number(movable.length)} of them fit on ${counted(pages, "page")}.`,
      saving === 0 && movable.length > 0 && `The ${byteCount(bytes)} that an order file could move fill ${
        counted(pages, "page")} anyway.`,
      others > 0
        && `${number(others)} also ${others === 1 ? "holds" : "hold"} code that is used and that no order file can move: without a ` +
          "symbol, of the C runtime, of linkage tables.",
    ] :
    [`${where} launch uses more than ${number(most)} bytes of each page of code that it touches.`];
  const names = (one) => element(
    "span", {}, one.functions.slice(0, 2).map((used, index) => [index ? ", " : "", code(used.name)]),
    one.functions.length > 2 && ` and ${one.functions.length - 2} more`);
  const columns = [
    column("page", (one) => layout.pageAddress(one.page), { show: (one) => pageButton(map, layout, one.page) }),
    column("startup bytes", (one) => number(one.bytes), { kind: "number" }),
    column("functions", (one) => one.functions.map((used) => used.name).join(", "), { kind: "name", show: names }),
    column("what would make it go", (one) => emptied(report, layout, one), { kind: "name" }),
  ];
  return view(
    "nearly-empty", "Nearly empty pages", element("p", {}, lines.filter(Boolean).join(" ")),
    few.length > 0 && table(`pages${layout.suffix} that are touched for a few bytes`, columns, few));
}
