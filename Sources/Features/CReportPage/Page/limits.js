// The limits of a budget as bars: each value against its limit, the failed ones first, and what brought each failure.

const FIRST_LIMITS = 12;
const MORE_LIMITS = 200;

/**
 * A bar from 0 to a figure's value, with lines at its limits and a tick at the base. The part beyond a limit is
 * hatched.
 */
function gauge(limits) {
  const drawn = limits.filter((one) => one.bound !== null && one.hasValue);
  if (!drawn.length) return element("div", { class: "gauge" });
  const limit = drawn.reduce((worst, one) => (one.excess > worst.excess ? one : worst));
  const { value, bound, low, high, isChange } = limit;
  const isTime = isChange || limit.isStageTime;
  const base = drawn.find((one) => one.base != null)?.base;
  const bounds = [...new Set(drawn.map((one) => one.bound))];
  const places = [0, value, ...bounds, base, low, high].filter((one) => one != null);
  const [least, most] = [Math.min(...places), Math.max(...places)];
  const margin = (most - least || 1) * 0.04;
  const from = least < 0 ? least - margin : 0;
  const x = (place) => (100 * (place - from)) / (most + margin - from);
  const part = (name, start, end) => element(
    "span", { class: name, style: `left:${x(Math.min(start, end)).toFixed(2)}%;width:${Math.abs(x(end) - x(start)).toFixed(2)}%` });
  const line = (name, place) => element("span", { class: name, style: `left:${x(place).toFixed(2)}%` });
  const isBeyond = limit.excess > 1e-9;
  return element(
    "div", { class: "gauge", "aria-hidden": "true" },
    isTime && low != null   ? part("interval", low, high) :
      isBeyond && !limit.isLeast ? part("fill", 0, bound) :
                              part("fill", 0, value),
    isTime     ? line("value", value) :
      isBeyond ? part("beyond", bound, value) :
                 null,
    isChange && line("zero", 0), base != null && line("base", base), bounds.map((one) => line("bound", one)));
}

/** @param limits the limits of one figure, the worst first */
function limitRow(report, limits) {
  const [limit] = limits;
  const failed = limits.find((one) => one.outcome === "fail" && one.causes.length > 0);
  const causes = failed?.causes ?? [];
  const few = causes.slice(0, 3).map((one) => causeWords(report, one)).join("; ");
  const further = causes.length - Math.min(3, causes.length) + (failed?.furtherCauses ?? 0);
  const requirements = limits.map(
    (one) => visible(one.requirement) + (limits.length > 1 ? ` (${OUTCOME_WORDS[one.outcome].toLowerCase()})` : ""));
  const base = limits.find((one) => one.base != null);
  return element(
    "li", { class: limit.outcome.replace(" ", "-") },
    element("span", { class: "word" }, outcomeMark(limit.outcome), OUTCOME_WORDS[limit.outcome]),
    element("span", { class: "subject" }, visible(limit.subject)), gauge(limits),
    element("span", { class: "numbers" }, element("strong", {}, limit.valueWords), `, ${requirements.join(", ")}`,
            base && `; base ${base.write(base.base)}`),
    limits.filter((one) => one.reason && one.reason !== report.check.baseIsMissing).map((one) => element("p", { class: "quiet" }, visible(firstLetterUp(one.reason)), ".")),
    causes.length > 0 && element("p", { class: "causes" }, few, further > 0 && `; and ${number(further)} more`),
    failed && causesTable(report, failed));
}

/** Rows of figures. If there are many, the first ones are drawn at once, and a button draws the others. */
function limitRows(report, figures) {
  const list = element("ul", { class: "limits" });
  const more = element("button", { type: "button" });
  const leftOut = element("p", { class: "printed quiet" });
  let shown = 0;
  const add = (count) => {
    list.append(...figures.slice(shown, shown + count).map((one) => limitRow(report, one)));
    shown = Math.min(figures.length, shown + count);
    more.hidden = leftOut.hidden = shown === figures.length;
    leftOut.textContent = leftOutWords(shown, figures.length, "figures");
    more.textContent = `Show ${number(Math.min(MORE_LIMITS, figures.length - shown))} more of ${number(figures.length)}`;
  };
  more.addEventListener("click", () => add(MORE_LIMITS));
  add(FIRST_LIMITS);
  return [list, leftOut, element("div", { class: "tools" }, more)];
}

/** Rows under a line with their number, drawn when the line is opened. */
function foldedRows(report, words, figures) {
  const details = element("details", {}, element("summary", {}, words));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(...limitRows(report, figures));
  });
  return details;
}

const checkedBuild = ({ image, architecture, id }) => [
  element("dt", {}, "Checked"),
  element("dd", {}, [visible(image), architecture, id ? `image ID ${id}` : "no image ID stated"].filter(Boolean).join(", "))
];

function limitsView(report) {
  const { check } = report;
  if (!check) return null;
  const { counts, images } = check;
  const told = [["fail", "exceeded"], ["inconclusive", "undecided"], ["already in the base", "already exceeded in the base"],
                 ["no baseline", "without a baseline"], ["pass", "kept"]]
                 .filter(([outcome]) => counts[outcome] > 0).map(([outcome, words]) => `${number(counts[outcome])} ${words}`);
  const rest = check.count - check.all.length;
  const ofOutcome = (outcome, title) => {
    const figures = check.figuresWith(outcome);
    if (!figures.length) return null;
    const here = check.all.filter((one) => one.outcome === outcome).length;
    const words = `${number(counts[outcome])} ${title}${counts[outcome] > here ? `, ${number(here)} of them in this report` : ""}`;
    const isFolded = outcome === "no baseline" || outcome === "already in the base" || (outcome === "pass" && figures.length > FIRST_LIMITS);
    return isFolded ? foldedRows(report, words, figures) : limitRows(report, figures);
  };
  const names = images.length ? images : [...new Set(check.all.map((one) => one.image))].map((image) => ({ image }));
  return view(
    "limits", "Limits",
    element(
      "p", {}, `${counted(check.count, "limit")} of ${visible(check.budget)}: ${told.join(", ") || "nothing to check"}.`,
      check.base.length > 0 && ` The base is ${check.base.map(visible).join(", ")}.`,
      check.baseIsMissing && ` There is no base: ${visible(check.baseIsMissing)}.`),
    element("dl", { class: "facts" }, names.slice(0, 5).map(checkedBuild)),
    names.length > 5 && note(`And ${counted(names.length - 5, "further image")}.`),
    check.all.some((one) => one.bound !== null)
      && element(
        "ul", { class: "key" }, element("li", {}, element("span", { class: "gauge" }, element("span", { class: "fill", style: "width:70%" })), "value"),
        element("li", {}, element("span", { class: "gauge" }, element("span", { class: "bound", style: "left:70%" })), "limit"),
        check.all.some((one) => one.base != null)
          && element("li", {}, element("span", { class: "gauge" }, element("span", { class: "base", style: "left:50%" })), "base"),
        counts.fail > 0
          && element("li", {}, element("span", { class: "gauge" }, element("span", { class: "beyond", style: "left:0;width:100%" })), "beyond the limit")),
    ofOutcome("fail"), ofOutcome("inconclusive"), ofOutcome("pass", "kept"),
    ofOutcome("already in the base", "already exceeded in the base"),
    ofOutcome("no baseline", "without a baseline"),
    rest > 0 && note(`This report has the ${number(check.all.length)} worst limits; the other ${number(rest)} are in the document of the check.`),
    check.all.length > 0
      && tableBeside(
        "verdict on each limit",
        [
          column("outcome", (one) => one.outcome, { kind: "short" }),
          column("figure", (one) => one.subject, { kind: "name" }),
          column("value", (one) => one.valueWords, { kind: "number" }),
          column("limit", (one) => one.requirement, { kind: "short" }),
          column("base", (one) => (one.base == null ? "" : one.write(one.base)), { kind: "number" }),
          column("why undecided", (one) => one.reason ?? "", { kind: "name" }),
        ],
        () => check.all));
}

function causesTable(report, { subject, requirement, causes, furtherCauses }) {
  const columnOf = (title, key) => causes.some((one) => one[key] > 0)
    && column(title, (one) => (one[key] == null ? "" : number(one[key])), { kind: "number" });
  return tableBeside(
    `what brought ${visible(subject)}, expected ${visible(requirement)}${furtherCauses > 0 ? `, without ${number(furtherCauses)} further causes` : ""}`,
    [
      column("function, library or entry", (one) => report.nameOf(one.name), { kind: "name" }),
      column("how", (one) => [one.kind, one.unordered && "not ordered", one.reason].filter(Boolean).join(", ")),
      columnOf("more pages", "pages"),
      columnOf("more bytes", "bytes"),
    ].filter(Boolean),
    () => causes);
}
