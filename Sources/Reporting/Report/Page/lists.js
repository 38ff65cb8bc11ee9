// The verdict, and the views that are lists.

/** What an image costs, in a few large figures. */
function verdictView(report) {
  const { diff, measure } = report.documents;
  const figures = [];
  const add = (title, big, ...small) => figures.push(element(
    "div", {}, element("dt", {}, title),
    element(
      "dd", {}, element("div", { class: /\d/.test(big) ? "big" : "big words" }, big),
      small.filter(Boolean).map((line) => element("div", { class: "quiet" }, line)))));
  const executed = (layout) => [...layout.measuredPages.keys()].filter((page) => layout.isExecuted(page)).length;
  if (!diff?.refusal && (diff?.textPages || report.layouts.length)) {
    const predicted = diff?.textPages ? [diff.textPages.before, diff.textPages.after] :
                                        report.layouts.map((one) => one.predictedPages.size);
    const isMeasured = report.layouts.length > 0 && report.layouts.every((layout) => layout.method);
    const pages = isMeasured ? report.layouts.map(executed) : predicted;
    const inWords = (counts) => counts.map(number).join(" \u2192 ");
    add(
      `Pages of code, ${byteCount(report.pageSizeBytes)}, ${isMeasured ? "measured" : "predicted"}`, inWords(pages),
      pages.length === 2 && pages[0] > 0 && signed(pages[1] / pages[0] - 1),
      isMeasured && `predicted ${inWords(predicted)}`);
    const floor = diff?.after.floorPages ?? report.layouts.at(-1)?.curve.floor.at(-1)?.[1];
    const above = pages.at(-1) - floor;
    if (floor)
      add(
        "Floor, pages", number(floor), above > 0 ? `${counted(above, "page")} above it` : "reached",
        above < 0 && "below it: whole pages of startup functions do not run");
  }
  const cold = diff?.linuxFaults?.cold[0].majorFaults;
  if (cold)
    add(
      "Major faults of a cold launch, predicted", `${number(cold.before)} \u2192 ${number(cold.after)}`,
      `read-ahead ${byteCount(diff.linuxFaults.readAheadBytes)}`,
      `fault-around ${byteCount(diff.linuxFaults.faultAroundBytes)}`);
  for (const measured of measure?.states ?? []) {
    const comparison = measured.comparisons.find((one) => one.after !== "control");
    const wall = comparison?.metrics.find((metric) => metric.metric === "wallTime");
    if (!wall) continue;
    const launches = measured.sides[0].launches.length;
    add(
      `Wall time, ${measured.state} launches, measured`,
      wall.verdict === "not shown" ? "no difference shown" : signed(wall.change),
      wall.low != null && `95% interval ${signed(wall.low)} to ${signed(wall.high)}`,
      `${number(launches)} launches of each`);
  }
  const machine = measure?.machine;
  return view(
    "verdict", "Verdict", element("dl", { class: "figures" }, figures),
    ...(diff?.refusal ? [element("p", {}, visible(diff.refusal))] : []),
    ...(diff?.warnings ?? [])
      .map(
        (warning) => element(
          "p", {}, `Warning: ${visible(warning.message)}${warning.hint ? `; hint: ${visible(warning.hint)}` : ""}.`)),
    element(
      "p", { class: "quiet" },
      machine ? `${visible(machine.processor ?? "")}, ${machine.processors} processors, ${
                  visible(machine.kernel)}, pages of ${byteCount(machine.pageBytes)}, `
          +
          `fault-around ${byteCount(machine.faultAroundBytes)}, read-ahead ${
                  byteCount(measure.images[0]?.readAheadBytes ?? 0)}.` :
                "No times were measured."));
}

/** Pages that are touched for a few bytes. */
function strangersView(report, map) {
  const layout = report.layouts.at(-1);
  if (!layout) return null;
  const most = layout.pageSize / 16;
  const strangerOf = (page) => {
    const functions = layout.functionsOnPage(page).filter((one) => one.step < Infinity);
    const bytes = layout.runBytes(page * layout.pageSize, (page + 1) * layout.pageSize);
    return { page, bytes, functions, canMove: functions.every((one) => one.isNamed) };
  };
  const strangers = [...layout.predictedPages.keys()].map(strangerOf);
  const few = strangers.filter((one) => one.functions.length && one.bytes <= most);
  few.sort((a, b) => a.bytes - b.bytes || a.page - b.page);
  const movable = few.filter((one) => one.canMove);
  const bytes = movable.reduce((sum, one) => sum + one.bytes, 0);
  const saving = Math.max(0, movable.length - Math.ceil(bytes / layout.pageSize));
  const are = few.length === 1 ? "is" : "are";
  const lines = few.length ?
    [
      `${counted(few.length, "page")} ${layout.side} ${are} touched for at most ${number(most)} bytes each.`,
      movable.length > 0
        && `${counted(movable.length, "page")} could be saved by an order: ${byteCount(bytes)}, which fit on ${
          counted(movable.length - saving, "page")}.`,
      movable.length < few.length
        && `${number(few.length - movable.length)} hold code without a symbol, which no order file moves.`,
    ] :
    [`No page ${layout.side} is touched for a few bytes only.`];
  const names = (one) => element(
    "span", {}, one.functions.slice(0, 2).map((used, index) => [index ? ", " : "", code(used.name)]),
    one.functions.length > 2 && ` and ${one.functions.length - 2} more`);
  const address = (one) => layout.address(one.page * layout.pageSize);
  const columns = [
    column("page", address, { show: (one) => pageButton(map, layout, one.page) }),
    column("startup bytes", (one) => number(one.bytes), { kind: "number" }),
    column("can move", (one) => (one.canMove ? "yes" : "no")),
    column("functions", (one) => one.functions.map((used) => used.name).join(", "), { kind: "name", show: names }),
  ];
  return view(
    "strangers", "Strangers", element("p", {}, lines.filter(Boolean).join(" ")),
    few.length > 0 && table(`pages ${layout.side} that are touched for a few bytes`, columns, few));
}

const MOST_BARS = 24;

/** Where the bytes are: owners side by side, as wide as their code; below them the functions of the chosen one. */
function bytesView(report, map) {
  const layout = report.layouts.at(-1);
  if (!layout?.owners.length) return null;
  const share = (used, all) => (all ? used / all : 0);
  const functionBars = element("div", { class: "bars" });
  const heading = element("h3");
  const bars = (container, label, items, choose) => {
    const largest = items.slice(0, MOST_BARS);
    const rest = items.slice(MOST_BARS);
    const buttons = largest.map(
      (item, index) => element(
        "button", {
          type: "button",
          tabindex: index ? -1 : 0,
          style: `flex-grow:${Math.max(1, item.bytes)};--used:${(share(item.usedBytes, item.bytes) * 100).toFixed(1)}%`,
          title: item.title,
          "aria-label": item.title,
          onclick: () => choose(item, buttons[index])
        },
        visible(item.name)));
    container.setAttribute("role", "group");
    container.setAttribute("aria-label", label);
    container.replaceChildren(
      ...buttons,
      ...(
        rest.length ?
          [element(
            "span", { class: "none", style: `flex-grow:${rest.reduce((sum, item) => sum + item.bytes, 0)}` },
            `and ${number(rest.length)} more`)] :
          []));
    container.onkeydown = (event) => {
      const at = buttons.indexOf(event.target);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (!buttons[next]) return;
      event.preventDefault();
      buttons[at].tabIndex = -1;
      buttons[next].tabIndex = 0;
      buttons[next].focus();
    };
    return buttons;
  };
  const words = (item) => `${visible(item.name)}: ${byteCount(item.bytes)}, ${
    item.usedBytes ? `${percent(share(item.usedBytes, item.bytes))} used` : "none used"}`;
  const owners = layout.owners.map((owner) => ({...owner, title: words(owner) }));
  const ownerBars = element("div", { class: "bars" });
  const choose = (owner, button) => {
    for (const other of ownerBars.querySelectorAll("button")) other.setAttribute("aria-pressed", other === button);
    const functions
      = layout.functions.filter((one) => one.ownerName === owner.name)
          .map(
            (one) => (
              {...one, bytes: one.size, usedBytes: one.ranges.reduce((sum, [from, to]) => sum + to - from, 0) }))
          .map((one) => ({...one, title: words(one) }))
          .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
    heading.textContent
      = `${visible(owner.name)}: ${number(owner.usedFunctions)} of ${counted(owner.functions, "function")} used`
      + (owner.usedFunctions ? "" : "; a candidate for loading later");
    if (functions.length)
      bars(
        functionBars, `Functions of ${owner.name}`, functions,
        (one) => map.choose(layout, Math.floor(one.address / layout.pageSize), true));
    else
      functionBars.replaceChildren(element("span", { class: "none" }, "None of its functions is on a touched page."));
  };
  const buttons = bars(ownerBars, "Owners", owners, choose);
  choose(owners[0], buttons[0]);
  return view(
    "bytes", "Where the bytes are",
    element(
      "p", { class: "quiet" },
      "The width is the size, the line below the share that the launch uses. Arrow keys walk along a row; " +
        "Enter shows the functions of an owner, or the page of a function. A function's row has those on touched pages."),
    ownerBars, heading, functionBars,
    tableBeside(
      "owners",
      [
        column("owner", (one) => one.name, { kind: "name" }),
        column("bytes", (one) => number(one.bytes), { kind: "number" }),
        column("used", (one) => percent(share(one.usedBytes, one.bytes)), { kind: "number" }),
        column("functions", (one) => number(one.functions), { kind: "number" }),
        column("used functions", (one) => number(one.usedFunctions), { kind: "number" })
      ],
      () => owners));
}

/** How well the order file fits the build. */
function healthView(report) {
  const diff = report.documents.diff;
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
      "dl", { class: "figures" },
      lines.map(([title, value]) => element("div", {}, element("dt", {}, title), element("dd", {}, visible(value))))),
    reasonsOf.length ?
      table(
        "names that the linker could not place, or that a layout lacks",
        [column("name", (one) => one.name, { kind: "name" }), column("reason", (one) => one.reason, { kind: "name" })],
        reasonsOf) :
      null);
}

/** What is predicted and what measured, what the report lacks, and its data. */
function methodView(report) {
  const missing = report.absent ?? [];
  const button = element(
    "button", { type: "button", onclick: () => copy(JSON.stringify(report.stored, null, 1), button) },
    "Copy the data as JSON");
  return view(
    "method", "Method",
    element(
      "p", {},
      "Predicted figures follow from the layouts and the recorded launch. Measured ones are counts and times of real launches. "
        +
        "A page counts once, at its first touch. Owners are modules, object files or sections, as far as the image tells."),
    ...report.layouts.map(
      (layout) => element(
        "p", { class: "quiet" },
        `${layout.title}: ${counted(layout.functions.length, "function")} of ` +
          `${number(layout.functionCount)} are in this report: those on touched pages.`)),
    missing.length ?
      element("ul", {}, missing.map((one) => element("li", {}, `${visible(one.view)}: `, code(one.command)))) :
      null,
    element("p", {}, `The data of this page are one JSON document, ${visible(report.stored.schema)}. `, button));
}
