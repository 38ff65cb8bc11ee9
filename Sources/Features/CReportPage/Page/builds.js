// Two builds compared: the bytes of each section and of each symbol, largest changes first.

const signedBytes = (bytes) => (bytes > 0 ? "+" : bytes < 0 ? "\u2212" : "") + number(Math.abs(bytes));

/** The columns of a comparison by bytes. A size is `null` in a build that lacks the section or symbol. */
const byteColumns = [
  column("bytes before", (one) => (one.before === null ? "" : number(one.before)), { kind: "number" }),
  column("bytes after", (one) => (one.after === null ? "" : number(one.after)), { kind: "number" }),
  column("change", (one) => signedBytes((one.after ?? 0) - (one.before ?? 0)), { kind: "number" }),
  column("how", (one) => one.before === null ? "new" : one.after === null ? "gone" : one.after > one.before ? "grown" : one.after < one.before ? "shrunk" : "the same"),
];

function sectionChanges(layouts) {
  const sizes = layouts.map((layout) => {
    const sizes = new Map();
    for (const { name, size } of layout.sections) sizes.set(name, (sizes.get(name) ?? 0) + size);
    return sizes;
  });
  const names = [...new Set(sizes.flatMap((one) => [...one.keys()]))];
  const change = (one) => Math.abs((one.after ?? 0) - (one.before ?? 0));
  return names.map((name) => ({ name, before: sizes[0].get(name) ?? null, after: sizes[1].get(name) ?? null }))
    .filter((one) => change(one) > 0).sort((a, b) => change(b) - change(a));
}

function buildsView(report) {
  const { layouts, names, stored: { symbolChanges } } = report;
  if (!symbolChanges || layouts.length < 2) return null;
  const used = new Set(layouts.flatMap((layout) => layout.functions.filter((one) => one.step < Infinity).map((one) => one.number)));
  const sizeOf = (bytes) => (bytes < 0 ? null : bytes);
  const symbols = symbolChanges.name.map((name, index) => ({
    name: names[name],
    before: sizeOf(symbolChanges.before[index]),
    after: sizeOf(symbolChanges.after[index]),
    isUsed: used.has(name),
  }));
  const sections = sectionChanges(layouts);
  const total = symbols.reduce((sum, one) => sum + (one.after ?? 0) - (one.before ?? 0), 0);
  return view(
    "builds", "Builds compared",
    element(
      "p", {},
      symbols.length ? `${counted(symbols.length + symbolChanges.others, "symbol")} of code ${symbols.length === 1 ? "differs" : "differ"} in size${
        symbolChanges.others ? "" : `, ${signedBytes(total)} bytes in all`}. ` :
                       "All symbols of code have the same size in both builds. ",
      !sections.length && "All sections have the same size."),
    symbols.length > 0
      && table("symbols of code by change", [...byteColumns, column("at launch", (one) => (one.isUsed ? "used" : "not used")), column("symbol", (one) => one.name, { kind: "name" })], symbols),
    symbolChanges.others > 0 && note(`${counted(symbolChanges.others, "smaller change")} of symbols are not in this report.`),
    sections.length > 0 && table("sections by change", [...byteColumns, column("section", (one) => one.name, { kind: "name" })], sections));
}
