// How well the order file fits the build.

function healthView(report) {
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
    "health", "Order file",
    element(
      "dl", { class: "figures small" },
      lines.map(([title, value]) => element("div", {}, element("dt", {}, title), element("dd", {}, visible(value))))),
    reasonsOf.length > 0
      && table(
        "names that the linker could not place, or that a layout lacks",
        [column("name", (one) => report.nameOf(one.name), { kind: "name" }), column("reason", (one) => one.reason, { kind: "name" })],
        reasonsOf));
}
