// Where the bytes are: an icicle of owners, their objects and their functions, each exactly as wide as its bytes. What would
// be too narrow to see or to press stands at the end of its row as one box.

const NARROWEST = 24;

/** One row of an icicle. */
class IcicleRow {
  constructor(label, choose) {
    this.node = element("div", { class: "icicle", role: "group", "aria-label": label });
    Object.assign(this, { choose, label, table: element("details") });
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.draw = drawnToWidth(this.node, (width) => this.drawTo(width));
  }
  /** @param items `{ name, bytes, usedBytes, isChosen, isWhole }`; of what is used whole or not at all, no share is drawn */
  set(items) {
    this.items = [...items].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
    const open = this.table.open;
    const fresh = rowTable(this.label, this.items, this.choose);
    this.table.replaceWith(fresh);
    this.table = fresh;
    this.table.open = open;
    this.draw();
  }
  drawTo(width) {
    if (!this.items) return;
    const total = this.items.reduce((sum, item) => sum + item.bytes, 0) || 1;
    let shown = this.items.findIndex((item) => (item.bytes / total) * width < NARROWEST);
    if (shown < 0) shown = this.items.length;
    // The rest gets what is left of the row, and at least as much as can be pressed.
    const rest = this.items.slice(shown);
    const restBytes = rest.reduce((sum, item) => sum + item.bytes, 0);
    const scale = (rest.length ? Math.min(width - 56, (width * (total - restBytes)) / total) : width) / (total - restBytes || 1);
    let left = 0;
    this.buttons = this.items.slice(0, shown).map((item, index) => {
      const size = item.bytes * scale;
      const button = element(
        "button", {
          type: "button",
          tabindex: index ? -1 : 0,
          title: icicleWords(item),
          "aria-label": icicleWords(item),
          "aria-pressed": item.isChosen == null ? null : String(item.isChosen),
          style: `left:${left.toFixed(2)}px;width:${size.toFixed(2)}px`,
          onclick: () => this.choose(item)
        },
        !item.isWhole && element("span", { class: "used", style: `width:${(shareOf(item) * 100).toFixed(1)}%` }),
        item.isWhole && item.usedBytes > 0 && element("span", { class: "tick", "aria-hidden": "true" }, "\u2713"),
        size > 44 && element("span", { class: "label" }, visible(item.name)));
      left += size;
      return button;
    });
    const restWords = `${number(rest.length)} more, ${byteCount(restBytes)}`;
    this.node.replaceChildren(
      ...this.buttons,
      ...(rest.length ? [element("button", { type: "button", class: "rest", style: `left:${left.toFixed(2)}px`, title: restWords,
                                            "aria-label": restWords, onclick: () => this.showTable() },
                                 `+${number(rest.length)}`)] :
                        []));
  }
  /** Opens the table of the row, which has what is too narrow to be drawn. */
  showTable() {
    this.table.open = true;
    this.table.scrollIntoView({ block: "nearest" });
    this.table.querySelector("summary").focus();
  }
  key(event) {
    const at = this.buttons.indexOf(event.target);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.buttons.length - 1 }[event.key];
    if (at < 0 || !this.buttons[next]) return;
    event.preventDefault();
    this.buttons[at].tabIndex = -1;
    this.buttons[next].tabIndex = 0;
    this.buttons[next].focus();
  }
}

/** All of a row, each with what its box would do. */
const rowTable = (label, items, choose) => tableBeside(
  label.toLowerCase(),
  [
    column("name", (one) => one.name, {
      kind: "name",
      show: (one) => element("button", { class: "link", type: "button", onclick: () => choose(one) }, visible(one.name))
    }),
    column("bytes", (one) => number(one.bytes), { kind: "number" }),
    column("used", (one) => one.isWhole ? (one.usedBytes ? "yes" : "no") : percent(shareOf(one)), { kind: "number" }),
    items[0]?.functions != null && column("functions", (one) => number(one.functions), { kind: "number" }),
    items[0]?.functions != null && column("used functions", (one) => number(one.usedFunctions), { kind: "number" }),
  ].filter(Boolean),
  () => items);

const shareOf = (item) => (item.bytes ? Math.min(1, item.usedBytes / item.bytes) : 0);
const icicleWords = (item) => `${visible(item.name)}: ${byteCount(item.bytes)}, ${
  item.isWhole       ? item.usedBytes ? "used" : "not used" :
      item.usedBytes ? `${percent(shareOf(item))} used` :
                       "none used"}`;

/** The sums of rows of one name. */
function summed(rows, name) {
  const sums = new Map();
  for (const row of rows) {
    const key = name(row);
    if (!sums.has(key)) sums.set(key, { name: key, bytes: 0, usedBytes: 0, functions: 0, usedFunctions: 0 });
    const sum = sums.get(key);
    for (const figure of ["bytes", "usedBytes", "functions", "usedFunctions"]) sum[figure] += row[figure];
  }
  return [...sums.values()].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}

function bytesView(report, map, state) {
  const layout = report.layouts.at(-1);
  if (!layout?.owners.length) return null;
  const owners = summed(layout.owners, (owner) => owner.name);
  const heading = element("h3");
  const few = note("None of its functions is on a touched page.");
  let object = null;
  const chosen = () => owners.find((owner) => owner.name === state.owner) ?? owners[0];
  // Without basic blocks, a function is used as a whole.
  const usedBytesOf = (one) => one.ranges.reduce((sum, [from, to]) => sum + to - from, 0);
  const isWhole = !layout.functions.some((one) => one.ranges.length && one.size && usedBytesOf(one) < one.size);
  const ownerRow = new IcicleRow("Owners", (owner) => state.set({ owner: owner.name }));
  const objectRow = new IcicleRow("Objects of the chosen owner", (item) => {
    object = object === item.name ? null : item.name;
    show();
  });
  const functionRow = new IcicleRow(
    "Functions of the chosen owner",
    (one) => map.choose(layout, Math.floor(one.address / layout.pageSize), true));
  const show = () => {
    const owner = chosen();
    ownerRow.set(owners.map((one) => ({...one, isChosen: one === owner })));
    const objects = summed(layout.owners.filter((one) => one.name === owner.name), (one) => one.object || "no object known");
    objectRow.node.hidden = objects.length < 2;
    objectRow.set(objects.map((one) => ({...one, isChosen: one.name === object })));
    const functions
      = layout.functions
          .filter(
            (one) => layout.nameOfOwner(one) === owner.name
              && (object === null || (report.names[one.object] || "no object known") === object))
          .map(
            (one) => (
              { name: one.name, address: one.address, bytes: one.size, isWhole, usedBytes: usedBytesOf(one) }));
    functionRow.node.hidden = !functions.length;
    few.hidden = functions.length > 0;
    functionRow.set(functions);
    objectRow.table.hidden = objectRow.node.hidden;
    functionRow.table.hidden = functionRow.node.hidden;
    heading.textContent
      = `${visible(owner.name)}: ${number(owner.usedFunctions)} of ${counted(owner.functions, "function")} used`
      + (owner.usedFunctions ? "" : "; a candidate for loading later");
  };
  state.listen((_, before) => {
    if (state.owner === before.owner) return;
    object = null;
    show();
  });
  show();
  return view(
    "bytes", "Where the bytes are",
    note(
      "The width is the size, the bar the share that the launch uses. Arrow keys walk along a row; Enter shows the functions of ",
      "an owner, or the page of a function. The last row has functions on touched pages",
      isWhole ? "; those with a tick are used, as wholes: no basic blocks were recorded." : "."),
    ownerRow.node, ownerRow.table, heading, objectRow.node, objectRow.table, functionRow.node, functionRow.table, few,
    layout.otherOwners > 0 && note(`${number(layout.otherOwners)} further owners are not in this report.`));
}
