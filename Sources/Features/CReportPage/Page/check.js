// What a check of a budget found: its limits, worst first, as numbers that can be drawn and in words.

const OUTCOMES = ["fail", "inconclusive", "no baseline", "already in the base", "pass"];
const OUTCOME_WORDS = {
  fail: "Failed", inconclusive: "Undecided", "no baseline": "No baseline", "already in the base": "As in the base", pass: "Kept"
};

/** The figures whose values are changes from the base, with an interval: `BudgetFigure.isTime`. */
const TIMES = ["measure.cpuTime", "measure.instructions", "measure.wallTime"];
/** The times of launches that are divided into stages, in milliseconds: `BudgetFigure.isStageTime`. */
const STAGE_TIMES = /^(stages|tasks)\.(.*\.)?(milliseconds|elapsedMilliseconds)$/s;

/** A bound as a number. Budgets have `"5%"`, `"+2"` and `5`. */
const boundValue = (bound) => (String(bound).endsWith("%") ? Number(bound.slice(0, -1)) / 100 : Number(bound));

/** A mark that has a shape of its own for each outcome. */
function outcomeMark(outcome) {
  const shapes = {
    fail: "M7 1.5h6l5.5 5.5v6l-5.5 5.5h-6L1.5 13V7zM6.5 6.5l7 7m0-7l-7 7",
    inconclusive: "M10 1l9 9-9 9-9-9zM7.5 8a2.5 2.5 0 1 1 3.4 2.3q-.9.4-.9 1.7m0 2v1",
    "no baseline": "M2 10a8 8 0 1 0 16 0a8 8 0 1 0-16 0zM6 10h8",
    "already in the base": "M2 10a8 8 0 1 0 16 0a8 8 0 1 0-16 0zM6 8h8M6 12h8",
    pass: "M2 10a8 8 0 1 0 16 0a8 8 0 1 0-16 0zM6 10.5l3 3l5.5-6.5",
  };
  return drawing(
    "svg", { class: "mark", viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" },
    drawing("path", { d: shapes[outcome] }));
}

/** One requirement of a limit. `bound` is its end as a number; `null` if it is unknown. */
class Limit {
  constructor(stored, unit) {
    Object.assign(this, stored, { stored });
    const written = stored.max ?? stored.min ?? stored.againstBase;
    const isShareOf = typeof written === "string" && written.endsWith("%");
    this.isStageTime = STAGE_TIMES.test(stored.metric);
    // The value is a change from the base, as a share.
    this.isTime = TIMES.includes(stored.metric) || (this.isStageTime && isShareOf);
    this.isChange = this.isTime || (this.isStageTime && stored.againstBase != null);
    this.isShare = !this.isTime && (unit ? unit === "ratio" : stored.againstBase == null && isShareOf);
    this.isLeast = stored.min != null || stored.againstBase?.startsWith("-") === true;
    this.bound = this.boundOf(isShareOf);
    this.hasValue = stored.outcome !== "no baseline" || !this.isChange;
    this.subject = [
      `${stored.metric} of ${stored.image}`,
      stored.pageSizeBytes && (!unit || unit === "pages") && `${byteCount(stored.pageSizeBytes)} pages`, stored.state
    ].filter(Boolean).join(", ");
  }
  boundOf(isShareOf) {
    const { stored, isChange, isShare } = this;
    if (stored.max != null || stored.min != null) return boundValue(stored.max ?? stored.min);
    if (stored.againstBase == null) return 0;
    const allowed = boundValue(stored.againstBase);
    if (isChange) return allowed;
    if (stored.base == null) return null;
    return stored.base + (isShareOf && !isShare ? stored.base * allowed : allowed);
  }
  /** How far the value is beyond the bound; negative if it is within. */
  get excess() { return this.bound === null ? 0 : this.isLeast ? this.bound - this.value : this.value - this.bound; }
  /** The excess as a share of the bound, so that limits of different figures can be compared. */
  get relativeExcess() { return this.isTime ? this.excess : this.excess / (Math.abs(this.bound) || 1e-9); }

  write(value) {
    const sign = this.isChange && value > 0 ? "+" : "";
    return this.isTime   ? signed(value) :
      this.isStageTime ? `${sign}${number(Number(value.toFixed(2)))} ms` :
      this.isShare     ? `${Number((value * 100).toFixed(2))}%` :
                         number(value);
  }
  get valueWords() {
    if (!this.hasValue) return "not compared";
    const interval = this.low == null ? "" : ` (95% interval ${this.write(this.low)} to ${this.write(this.high)})`;
    return this.write(this.value) + interval;
  }
  /** `146, expected at most 143 (base 140)` */
  get sentence() {
    return `${this.valueWords}, expected ${this.requirement}${this.base == null ? "" : ` (base ${this.write(this.base)})`}`;
  }
}

class Check {
  /** @param counts the number of limits with each outcome: a document of many limits has only the worst */
  constructor(stored, counts) {
    Object.assign(this, stored, { counts });
    const units = new Map(
      stored.images.flatMap((image) => image.figures.map((one) => [`${one.source}.${one.metric}`, one.unit])));
    this.all = stored.limits.map((one) => new Limit(one, units.get(one.metric)));
    this.all.sort(
      (a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome)
        || (a.outcome === "fail" ? b.relativeExcess - a.relativeExcess : 0));
    const figures = new Map();
    for (const one of this.all) {
      // The value of a time depends on the requirement: it is the time, or the change of the time.
      const key = `${one.line} ${one.subject} ${one.isStageTime ? one.requirement : ""}`;
      if (!figures.has(key)) figures.set(key, []);
      figures.get(key).push(one);
    }
    /**
     * The limits of each figure, by line of the budget, decided and worst limits first: a bound of its own, and one
     * against the base.
     */
    this.figures = [...figures.values()].map(
      (limits) => limits.toSorted((a, b) => (a.outcome === "no baseline") - (b.outcome === "no baseline")));
    this.count = OUTCOMES.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0);
  }
  /** The figures whose worst outcome is `outcome`. */
  figuresWith(outcome) { return this.figures.filter(([worst]) => worst.outcome === outcome); }
  /** The outcome of the whole check; with `--strict`, undecided limits fail it. */
  get verdict() { return this.strict && this.outcome === "inconclusive" ? "fail" : this.outcome; }
  get sentence() {
    const { counts, count, all } = this;
    const of = (outcome) => `${number(counts[outcome])} of ${counted(count, "limit")}`;
    switch (this.outcome) {
      case "fail":
        return `${of("fail")} ${counts.fail === 1 ? "is" : "are"} exceeded. ${counts.fail === 1 ? "It is" : "The worst:"} ${
          all[0].subject}: ${all[0].sentence}.`;
      case "inconclusive":
        return `The launches do not decide ${of("inconclusive")}${this.strict ? "; with --strict this fails the check" : ""}. ${
          all[0].subject}: ${all[0].sentence}.`;
      case "no baseline":
        return `No limit is exceeded, but ${of("no baseline")} could not be checked: there is no baseline.`;
      default:
        if (counts["already in the base"] > 0)
          return `This change exceeds no limit; ${of("already in the base")} ${
            counts["already in the base"] === 1 ? "is" : "are"} exceeded as in the base.`;
        return count === 0 ? "The budget has no limit." : `${count === 1 ? "The limit" : `All ${counted(count, "limit")}`} of ${
          this.budget} ${count === 1 ? "is" : "are"} kept.`;
    }
  }
}

const VERDICT_WORDS = { fail: "Failed.", inconclusive: "Undecided.", "no baseline": "Passed, as far as checked.", pass: "Passed." };

/** `touching: init_table (4 more pages)` */
const causeWords = (report, { kind, name, pages }) =>
  `${kind}: ${visible(report.nameOf(name))}${pages > 0 ? ` (${counted(pages, "more page")})` : ""}`;

/** The outcome of a check in one line that can't be missed. */
function outcomeLine(report, state) {
  const { check } = report;
  const [cause] = check.all[0]?.outcome === "fail" ? check.all[0].causes : [];
  const link = element("a", { href: "#limits" }, "See Limits");
  goesTo(link, "limits", state);
  return element(
    "p", { class: `outcome ${check.verdict.replace(" ", "-")}` }, outcomeMark(check.verdict),
    element("span", {}, element("strong", {}, VERDICT_WORDS[check.verdict]), " ", visible(check.sentence), " ",
            cause && `The first cause: ${causeWords(report, cause)}. `, link));
}
