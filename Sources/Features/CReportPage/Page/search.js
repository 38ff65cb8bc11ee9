// The search: functions, modules and object files, in all views. A name is looked up once, however many functions have it.

const MOST_FOUND = 12;

/**
 * 4 if a line of `text` is `wanted`, perhaps with parameters; 3 if a line begins with it, 2 if a word does, 1 if it is
 * elsewhere, 0 if it is missing.
 */
function matchOf(text, wanted) {
  let best = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const isFirst = at === 0 || text[at - 1] === "\n";
    const end = text[at + wanted.length];
    if (isFirst && (end === undefined || end === "\n" || end === "(")) return 4;
    best = Math.max(best, isFirst ? 3 : /[\w$]/.test(text[at - 1]) ? 1 : 2);
  }
  return best;
}

class Search {
  constructor(report, map, state) {
    Object.assign(this, { report, map, state, text: "", isFound: null });
    const [form, field, status] = ["search", "find", "found"].map((id) => document.getElementById(id));
    Object.assign(this, { field, status, list: document.getElementById("results") });
    field.value = state.find;
    let frame = 0;
    field.addEventListener("input", () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => state.set({ find: field.value }));
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value !== state.find) state.set({ find: field.value });
      const layout = report.layouts.at(-1);
      const first = this.functions(layout)[0];
      if (first) map.choose(layout, Math.floor(first.address / layout.pageSize), true);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
      event.preventDefault();
      field.focus();
    });
    state.listen((_, before) => {
      if (state.find !== before.find) this.tell();
    });
    this.tell();
  }
  /** How well each name matches the text; 0 if it does not contain the text. `null` without a text. */
  get found() {
    const { report, state } = this;
    if (this.text === state.find) return this.isFound;
    this.text = state.find;
    this.names ??= report.names.map((name, index) => `${name}\n${report.symbols[index]}`.toLowerCase());
    const wanted = state.find.trim().toLowerCase();
    if (this.field.value !== state.find && document.activeElement !== this.field) this.field.value = state.find;
    this.isFound = wanted ? Uint8Array.from(this.names, (name) => matchOf(name, wanted)) : null;
    return this.isFound;
  }
  /** The functions of a layout that are found: best matches first, and used functions first among equal matches. */
  functions(layout) {
    const { found: names } = this;
    if (!names) return [];
    const isFound = (number) => number >= 0 && names[number] > 0;
    const rank = (one) => (one.number >= 0 ? names[one.number] : 0) * 2 + (one.step < Infinity ? 1 : 0);
    return layout.functions.filter((one) => isFound(one.number) || isFound(one.owner) || isFound(one.object))
      .sort((a, b) => rank(b) - rank(a));
  }
  pages(layout) {
    if (!this.found) return [];
    return layout.group(this.functions(layout), (one) => [one.address, one.end]).keys();
  }
  steps(layout) { return this.functions(layout).filter((one) => one.step < Infinity).map((one) => one.step); }
  hits() {
    const { found } = this;
    return found ? this.report.hits.filter((hit) => found[hit.number] > 0) : [];
  }

  tell() {
    const { report, map, status, list } = this;
    list.replaceChildren();
    list.hidden = !this.found;
    status.textContent = "";
    if (!this.found) return;
    const counts = report.layouts.map((layout) => this.functions(layout));
    status.textContent = `found: ${
      report.layouts.map((layout, index) => `${number(counts[index].length)}${layout.suffix}`).join(", ")}`;
    const [layout, functions] = [report.layouts.at(-1), counts.at(-1)];
    list.append(...functions.slice(0, MOST_FOUND).map((one) => element(
      "li", {}, pageButton(map, layout, Math.floor(one.address / layout.pageSize)), " ", code(one.name),
      one.step < Infinity ? ` first use #${number(one.step + 1)}` : " not used")));
    if (functions.length > MOST_FOUND) list.append(element("li", { class: "quiet" }, `and ${number(functions.length - MOST_FOUND)} more`));
  }
}
