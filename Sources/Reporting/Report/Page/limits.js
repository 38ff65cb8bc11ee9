// The limits of a budget, as a check found them: which are exceeded, and what brought it.

const OUTCOMES = ["fail", "inconclusive", "no baseline", "pass"];

function limitsView(report) {
  const { check } = report.documents;
  if (!check) return null;
  const units = new Map(
    check.images.flatMap((image) => image.figures.map((one) => [`${one.source}.${one.metric}`, one.unit])));
  const subjectOf = (limit) => [
    `${limit.metric} of ${limit.image}`, units.get(limit.metric) === "pages" && `${byteCount(limit.pageSizeBytes)} pages`, limit.state
  ].filter(Boolean).join(", ");
  const write = (limit, value) => value == null ? "" :
    limit.metric.startsWith("measure.")         ? signed(value) :
    units.get(limit.metric) === "ratio"         ? percent(value, 2) :
                                                  number(value);
  const limits = [...check.limits].sort((a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome));
  const counts = OUTCOMES.map((outcome) => [outcome, limits.filter((one) => one.outcome === outcome).length]);
  const words = { fail: "exceeded", inconclusive: "inconclusive", "no baseline": "without a baseline", pass: "kept" };
  const told = counts.filter(([, count]) => count > 0).map(([outcome, count]) => `${number(count)} ${words[outcome]}`);
  // Two requirements on one figure have the same causes.
  const failed = new Map(limits.filter((one) => one.outcome === "fail").map((one) => [subjectOf(one), one]));
  return view(
    "limits", "Limits",
    note(
      `${counted(limits.length, "limit")} of ${visible(check.budget)}: ${told.join(", ")}.`,
      check.base.length > 0 && ` The base is ${check.base.map(visible).join(", ")}.`,
      check.baseIsMissing && ` There is no base: ${visible(check.baseIsMissing)}.`),
    limits.length > 0
      && table(
        "verdict on each limit",
        [
          column("outcome", (one) => one.outcome),
          column("figure", subjectOf, { kind: "name" }),
          column("value", (one) => write(one, one.value), { kind: "number" }),
          column("limit", (one) => one.requirement),
          column("base", (one) => write(one, one.base), { kind: "number" }),
          column("why undecided", (one) => one.reason ?? "", { kind: "name" }),
        ],
        limits),
    [...failed].filter(([, limit]) => limit.causes.length > 0)
      .map(
        ([subject, limit]) =>
          [element("h3", {}, `What brought ${visible(subject)}`),
           causesTable(report, subject, limit.causes),
           limit.furtherCauses > 0 && note(`${number(limit.furtherCauses)} further causes are not in the document.`)]));
}

function causesTable(report, subject, causes) {
  const columnOf = (title, key) => causes.some((one) => one[key] > 0)
    && column(title, (one) => (one[key] == null ? "" : number(one[key])), { kind: "number" });
  return table(
    `causes: ${subject}`,
    [
      column("function, library or entry", (one) => report.nameOf(one.name), { kind: "name" }),
      column("how", (one) => [one.kind, one.unordered && "not ordered", one.reason].filter(Boolean).join(", ")),
      columnOf("more pages", "pages"),
      columnOf("more bytes", "bytes"),
    ].filter(Boolean),
    causes);
}
