// Tables, each sorted by a click on a column, with a button that copies it as Markdown.

/** A column: its title, the text of a row's cell, and perhaps what to show instead of the text. */
const column = (title, text, { kind = "", show = null } = {}) => ({ title, text, kind, show });

/** Text that Markdown shows as it is. */
const plainInMarkdown = (text) => visible(text).replace(/[\\`*_{}[\]<>|#~!()]/g, "\\$&").replaceAll("&", "&amp;");

const inMarkdown = (columns, items) => {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map((one) => plainInMarkdown(one.title))),
    line(columns.map((one) => (one.kind === "number" ? "---:" : "---"))),
    ...items.map((item) => line(columns.map((one) => plainInMarkdown(one.text(item))))),
  ].join("\n")
    + "\n";
};

/** A button that copies what `text` returns, and says so for a moment. */
function copyButton(title, text) {
  let timer;
  const button = element("button", {
    type: "button",
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(text());
      } catch {
        copyBySelection(text());
        button.focus();
      }
      button.textContent = "Copied";
      clearTimeout(timer);
      timer = setTimeout(() => (button.textContent = title), 1500);
    }
  }, title);
  return button;
}

/** Copies text where the page may not write to the clipboard: in some browsers, if it was opened from disk. */
function copyBySelection(text) {
  const area = element("textarea", { "aria-label": "Text to copy" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

const FIRST_ROWS = 20;
const MORE_ROWS = 2000;

/** A sentence that says on paper how many rows only the screen shows. */
const leftOutWords = (shown, all, noun) => `The first ${number(shown)} of ${number(all)} ${noun}. The report shows the others on a screen.`;

/** What a cell counts as when its column is sorted: a number where there is one, and text otherwise. */
function sortValue(one, item) {
  const text = visible(one.text(item));
  if (one.kind !== "number") return text;
  const value = parseFloat(text.replace(/^[#+]/, "").replace(/^\u2212/, "-").replaceAll(",", ""));
  return Number.isNaN(value) ? -Infinity : value;
}

const compared = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));

/** The items in the order of a column; equal ones keep their order. */
function sortedBy(one, items, isDescending) {
  const values = new Map(items.map((item) => [item, sortValue(one, item)]));
  return items.toSorted((a, b) => (isDescending ? -1 : 1) * compared(values.get(a), values.get(b)));
}

/** A table; a long one begins with its first rows. A heading sorts all of its rows, also those that are not shown yet. */
function table(caption, columns, items) {
  const body = element("tbody");
  let [shown, sorted] = [0, items];
  const row = (item) => element(
    "tr", {},
    columns.map((one) => element("td", { class: one.kind || null }, one.show ? one.show(item) : visible(one.text(item)))));
  const add = (count) => {
    const next = sorted.slice(shown, shown + count);
    shown += next.length;
    body.append(...next.map(row));
    if (more) {
      more.hidden = leftOut.hidden = shown === items.length;
      leftOut.textContent = leftOutWords(shown, items.length, "rows");
      more.textContent = items.length - shown > MORE_ROWS ? `Show ${number(MORE_ROWS)} more of ${number(items.length)} rows` :
                                                            `Show all ${number(items.length)} rows`;
    }
  };
  const heads = columns.map((one) => element("th", { scope: "col", class: one.kind === "number" ? "number" : null }));
  const sort = (index) => {
    const now = heads[index].getAttribute("aria-sort");
    const isDescending = now ? now === "ascending" : columns[index].kind === "number";
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[index].setAttribute("aria-sort", isDescending ? "descending" : "ascending");
    sorted = sortedBy(columns[index], items, isDescending);
    const count = shown;
    shown = 0;
    body.replaceChildren();
    add(count);
  };
  columns.forEach((one, index) => heads[index].append(
    items.length > 1 ? element("button", { type: "button", class: "sort", onclick: () => sort(index) }, one.title) : one.title));
  const more = items.length > FIRST_ROWS && element("button", { type: "button", onclick: () => add(MORE_ROWS) });
  const leftOut = element("p", { class: "printed quiet" });
  add(FIRST_ROWS);
  return element(
    "div", { class: "table" },
    element(
      "div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      element(
        "table", {}, element("caption", {}, firstLetterUp(caption)), element("thead", {}, element("tr", {}, heads)), body)),
    more && leftOut, element("div", { class: "tools" }, more, copyButton("Copy as Markdown", () => inMarkdown(columns, sorted))));
}

/** The table of a picture, made when it is opened. */
function tableBeside(caption, columns, items) {
  const details = element("details", {}, element("summary", {}, `Table: ${caption}`));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(table(caption, columns, items()));
  });
  return details;
}
