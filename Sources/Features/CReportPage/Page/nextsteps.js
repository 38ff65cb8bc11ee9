// What to do next: the steps that would make a launch touch fewer pages, as commands.

const STEP_TITLES = {
  relink: "Link again", record: "Record again", order: "Make the order file", split: "Split the functions",
  refine: "Refine the order", prefetch: "Prefetch the startup functions", advise: "Try options of linkers and compilers",
  nothing: "Nothing is left to do",
};
const stepTitle = (step) => STEP_TITLES[step.kind] ?? firstLetterUp(step.kind);
const gainOf = (step) => (step.gainPages == null ? "" : `saves about ${counted(step.gainPages, "page")}, predicted`);

/** The commands of a step, each on its own line, with a button that copies them. */
const stepCommands = (step) => step.commands.length > 0
  && element(
    "div", { class: "commands" },
    element("pre", { tabindex: 0, role: "region", "aria-label": `Commands: ${stepTitle(step)}` }, step.commands.map(visible).join("\n")),
    copyButton("Copy", () => step.commands.join("\n")));

const stepNeeds = (step) => step.needs.map((need) => note(visible(firstLetterUp(need)), "."));

/** The first step, and a line that names the others; `null` if no step is known. */
function nextStep(report, state) {
  const [first, ...others] = report.stored.nextSteps ?? [];
  if (!first) return null;
  const link = element("a", { href: "#further" }, `${counted(others.length, "further step")}`);
  goesTo(link, "further", state);
  return element(
    "div", { class: `next ${first.kind}` },
    element(
      "p", {}, element("strong", {}, `Next step: ${stepTitle(first).toLowerCase()}. `), gainOf(first) && [element("b", {}, firstLetterUp(gainOf(first))), ". "],
      visible(firstLetterUp(first.reason)), "."),
    stepCommands(first), stepNeeds(first),
    others.length > 0
      && element(
        "p", {}, "Then ", link, ": ",
        others.map((step) => stepTitle(step).toLowerCase() + (gainOf(step) && ` (${gainOf(step)})`)).join("; "), "."));
}

/** The steps after the first one, with their commands. */
function furtherSteps(report) {
  const others = (report.stored.nextSteps ?? []).slice(1);
  if (!others.length) return null;
  return view(
    "further", "Further steps",
    element(
      "ol", { class: "steps" },
      others.map((step) => element(
        "li", {},
        element("p", {}, element("strong", {}, `${stepTitle(step)}. `), gainOf(step) && `${firstLetterUp(gainOf(step))}. `, visible(firstLetterUp(step.reason)), "."),
        stepCommands(step), stepNeeds(step)))));
}
