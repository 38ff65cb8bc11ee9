// Elements, and how numbers and names are written.

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

const groups = new Intl.NumberFormat("en-US");
const number = (value) => groups.format(value);
const counted = (count, noun, plural = noun + "s") => `${number(count)} ${count === 1 ? noun : plural}`;
const percent = (share, digits = 1) => `${(share * 100).toFixed(digits)}%`;
const signed = (share) => (share > 0 ? "+" : share < 0 ? "\u2212" : "") + percent(Math.abs(share));
const oneDecimal = (value) => value.toFixed(1).replace(/\.0$/, "");
const byteCount = (bytes) => bytes < 1024 ? `${bytes} B` :
  bytes < 1024 ** 2 ? `${oneDecimal(bytes / 1024)} KiB` :
                      `${oneDecimal(bytes / 1024 ** 2)} MiB`;
const milliseconds = (microseconds) => `${(microseconds / 1000).toFixed(microseconds < 10000 ? 2 : 1)} ms`;
const fileName = (path) => path.split("/").at(-1);
const firstLetterUp = (text) => text[0].toUpperCase() + text.slice(1);

/** Shortens text to a number of letters. */
const shortened = (text, letters) => (text.length > letters ? text.slice(0, letters - 1) + "\u2026" : text);

/** Replaces control characters, which names from foreign files may have. */
const visible = (text) => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

const code = (text) => element("code", {}, visible(text));
/** Quotes a word if a shell would not take it for one word. */
const shellWord = (word) => (/^[\w@%+=:,./\u{a0}-\u{10ffff}-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
const note = (...children) => element("p", { class: "quiet" }, ...children);

/** A group of buttons: one of them is chosen. */
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

/** Shows which button of a choice is chosen, after the address has changed. */
function showChoice(place, name, value) {
  const input = [...place.querySelectorAll(`input[name="${name}"]`)].find((one) => one.value === String(value));
  if (input) input.checked = true;
}

/** A section of the report. */
const view = (id, title, ...children) => element(
  "section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title`, tabindex: -1 }, title),
  ...children);

// The width of all views before the first view is laid out: with it, views are drawn once, and laid out once.
let firstWidth = 0;

/** Draws into `node` with its width, and again whenever the width changes. Returns a function that draws again. */
function drawnToWidth(node, draw) {
  let drawn = 0;
  const measure = () => {
    const width = node.isConnected ? Math.floor(node.clientWidth) : firstWidth;
    if (!width || width === drawn) return;
    drawn = width;
    draw(width);
  };
  measure();
  new ResizeObserver(measure).observe(node);
  return () => {
    if (drawn) draw(drawn);
  };
}
