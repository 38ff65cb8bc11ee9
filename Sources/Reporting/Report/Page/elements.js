// Elements, tables, and how numbers are written.

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else if (value === true)
      node.setAttribute(name, "");
    else if (value !== false && value != null)
      node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return node;
}
const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const drawing = (tag, attributes = {}, ...children) => fill(
  document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const number = (value) => value.toLocaleString("en-US");
const counted = (count, noun, plural = noun + "s") => `${number(count)} ${count === 1 ? noun : plural}`;
const percent = (share, digits = 1) => `${(share * 100).toFixed(digits)}%`;
const signed = (share) => (share > 0 ? "+" : share < 0 ? "\u2212" : "") + percent(Math.abs(share));
const oneDecimal = (value) => value.toFixed(1).replace(/\.0$/, "");
const byteCount = (bytes) => bytes < 1024 ? `${bytes} B` :
  bytes < 1024 ** 2 ? `${oneDecimal(bytes / 1024)} KiB` :
                      `${oneDecimal(bytes / 1024 ** 2)} MiB`;
const milliseconds = (microseconds) => `${(microseconds / 1000).toFixed(microseconds < 10000 ? 2 : 1)} ms`;

/** Control characters, as names from foreign files may have them. */
const visible = (text) => String(text).replace(/[\u0000-\u001f\u007f]/g, "\ufffd");

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", { "aria-label": "Text to copy" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1500);
}

/** A column: its title, the text of a row's cell, and perhaps what to show instead of the text. */
const column = (title, text, { kind = "", show = null } = {}) => ({ title, text, kind, show });

const inMarkdown = (columns, items) => {
  const line = (cells) => `| ${cells.map((cell) => visible(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    line(columns.map((one) => one.title)),
    line(columns.map((one) => (one.kind === "number" ? "---:" : "---"))),
    ...items.map((item) => line(columns.map((one) => one.text(item)))),
  ].join("\n")
    + "\n";
};

const FIRST_ROWS = 20;

/** A table with a button that copies all of it; a long one begins with its first rows. */
function table(caption, columns, items) {
  const body = element("tbody");
  const add = (from, to) => body.append(...items.slice(from, to).map(
    (item) => element(
      "tr", {},
      columns.map(
        (one) => element("td", { class: one.kind || null }, one.show ? one.show(item) : visible(one.text(item)))))));
  add(0, FIRST_ROWS);
  const copyButton = element(
    "button", { type: "button", onclick: () => copy(inMarkdown(columns, items), copyButton) }, "Copy as Markdown");
  const more = items.length > FIRST_ROWS
    && element("button", {
                 type: "button",
                 onclick: () => {
                   add(FIRST_ROWS, items.length);
                   more.remove();
                 }
               },
               `Show all ${number(items.length)} rows`);
  return element(
    "div", {},
    element(
      "div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      element(
        "table", {}, element("caption", {}, caption),
        element(
          "thead", {},
          element(
            "tr", {},
            columns.map(
              (one) => element("th", { scope: "col", class: one.kind === "number" ? "number" : null }, one.title)))),
        body)),
    element("div", { class: "tools" }, more, copyButton));
}

/** The table of a picture, made when it is opened. */
function tableBeside(caption, columns, items) {
  const details = element("details", {}, element("summary", {}, `Table: ${caption}`));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(table(caption, columns, items()));
  });
  return details;
}

/** Buttons of which one is chosen. */
function choice(legend, name, options, chosen, choose) {
  return element(
    "fieldset", {}, element("legend", {}, legend),
    options.map(
      ([value, title]) => element(
        "label", {}, element("input", {
          type: "radio",
          name,
          value,
          checked: value === chosen,
          onchange: () => choose(value),
        }),
        title)));
}

/** A section of the report. */
const view = (id, title, ...children) => element(
  "section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title`, tabindex: -1 }, title),
  ...children);

const code = (text) => element("code", {}, visible(text));
