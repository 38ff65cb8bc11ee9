// How well the order file fits the build.

/** The startup functions of the last layout that the linker did not place by the order file; most bytes first. */
function outsideOrder(report, map) {
  const layout = report.layouts.at(-1);
  if (!layout || !report.stored.outsideOrder) return null;
  const used = layout.functions.filter((one) => one.step < Infinity);
  const outside = used.filter((one) => report.isOutsideOrder(one)).toSorted((a, b) => b.size - a.size || a.address - b.address);
  const bytes = (functions) => functions.reduce((sum, one) => sum + one.size, 0);
  const pageOf = (one) => Math.floor(one.address / layout.pageSize);
  const pages = new Set(outside.map(pageOf)).size;
  if (!outside.length) return element("p", {}, `All ${counted(used.length, "startup function")} lie where the order file asks.`);
  return [
    element(
      "p", {}, `${number(outside.length)} of ${counted(used.length, "startup function")} ${outside.length === 1 ? "lies" : "lie"} outside of the order: ${
        byteCount(bytes(outside))} of ${byteCount(bytes(used))}, on ${counted(pages, "page")}. `,
      "A linker moves only functions that the order file lists, and only in the sections that it orders."),
    table(
      "startup functions outside of the order",
      [
        column("page", (one) => layout.pageAddress(pageOf(one)), { show: (one) => pageButton(map, layout, pageOf(one)) }),
        column("bytes", (one) => number(one.size), { kind: "number" }),
        column("first use", (one) => "#" + number(one.step + 1), { kind: "number" }),
        column("section", (one) => layout.sectionOf(one.address, one.end)?.name ?? ""),
        column("function", (one) => one.name, { kind: "name" }),
      ],
      outside)
  ];
}

function orderView(report, map) {
  const { diff } = report.documents;
  if (!diff?.order) return null;
  const { order, present, missing, recordable, drifted } = diff;
  const lines = [
    ["Entries", number(order.entries)],
    ["Present in the build", `${number(order.present)}, ${percent(order.present / Math.max(1, order.entries))}`],
    ["In the order of the file", `${number(order.inOrder)} of ${number(order.present)}`],
    order.firstDeviation && ["First deviation", order.firstDeviation],
    present &&
      [
        "Startup functions in both layouts",
        `${number(present.after)} of ${number(present.all)} after, ${number(present.before)} before`
      ],
    recordable &&
      ["Code that could be recorded", `${number(recordable.bytes)} of ${number(recordable.allBytes)} bytes`],
    ["Missing in a layout", number(missing.length)],
    drifted && ["Functions with other basic blocks", number(drifted.length)],
  ].filter(Boolean);
  const reasonsOf = [
    ...order.unorderable.map((one) => ({ name: one.name, reason: one.reason })),
    ...missing.map((one) => ({ name: one.name, reason: one.reason ?? one.absence ?? "missing" }))
  ];
  return view(
    "order", "Order file",
    element(
      "dl", { class: "figures" },
      lines.map(([title, value]) => element("div", {}, element("dt", {}, title), element("dd", {}, visible(value))))),
    map && outsideOrder(report, map),
    reasonsOf.length > 0
      && table(
        "names that the linker could not place, or that a layout lacks",
        [column("name", (one) => report.nameOf(one.name), { kind: "name" }), column("reason", (one) => one.reason, { kind: "name" })],
        reasonsOf));
}
