// Where the bytes are: an icicle with a column for each level: owners, their objects and their functions. The height of
// a block shows its bytes, and it stands beside its owner's block. The length of its bar is the share of it that the
// launch uses, so the coloured area is what is used. Parts that would be too thin for their names are one block at the
// end of their owner, with their number.

const LINE = 15;

const shareOf = (item) => (item.bytes ? Math.min(1, item.usedBytes / item.bytes) : 0);
const bySize = (a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
const usedBytesOf = (one) => one.ranges.reduce((sum, [from, to]) => sum + to - from, 0);

/** How much of a block the launch uses, in words. */
function useWords(node) {
  if (node.level === "rest") return node.usedBytes ? `${percent(shareOf(node), 0)} used` : node.isUncounted ? "" : "none used";
  if (node.level === "function") return node.usedBytes ? (node.usedBytes < node.bytes ? `${percent(shareOf(node), 0)} used` : "used") : "not used";
  const of = `${number(node.usedFunctions)} of ${counted(node.functions, "function")} used`;
  return node.usedFunctions ? `${percent(shareOf(node), 0)} used, ${of}` : of;
}
const nodeWords = (node) => [`${visible(node.name)}: ${byteCount(node.bytes)}`, useWords(node)].filter(Boolean).join(", ");

/** The tree of a layout: the image, its owners, their objects if any are known, and the functions on touched pages. */
function byteTree(layout, report) {
  const root = { level: "image", name: fileName(layout.path), parent: null, children: [] };
  const sums = () => ({ bytes: 0, usedBytes: 0, functions: 0, usedFunctions: 0 });
  Object.assign(root, sums());
  const [owners, places] = [new Map(), new Map()];
  for (const one of layout.owners) {
    if (!owners.has(one.name)) {
      const owner = { level: "owner", name: one.name, parent: root, children: [], ...sums() };
      owners.set(one.name, owner);
      root.children.push(owner);
    }
    const owner = owners.get(one.name);
    const object = { level: "object", name: one.object || "no object known", parent: owner, children: [], ...sums() };
    owner.children.push(object);
    places.set(`${one.name}\n${one.object}`, object);
    for (const sum of [root, owner, object])
      for (const figure of ["bytes", "usedBytes", "functions", "usedFunctions"]) sum[figure] += one[figure];
  }
  for (const one of layout.functions) {
    const object = places.get(`${layout.nameOfOwner(one)}\n${report.names[one.object] ?? ""}`);
    if (one.size > 0)
      object?.children.push({
        level: "function", name: one.name, parent: object, children: [], bytes: one.size, usedBytes: usedBytesOf(one), one });
  }
  for (const object of places.values()) {
    const known = object.children;
    const bytes = object.bytes - known.reduce((sum, one) => sum + one.bytes, 0);
    const others = object.functions - known.length;
    if (bytes > 0 && others > 0)
      known.push({ level: "rest", of: "function", isUncounted: true, count: others, parent: object, children: [], bytes, usedBytes: 0,
                   name: `${counted(others, "function")} on pages that the launch does not touch` });
  }
  // If no object of an owner is known, the owner has its functions itself.
  for (const owner of owners.values()) {
    if (owner.children.length === 1 && owner.children[0].name === "no object known") {
      owner.children = owner.children[0].children;
      for (const child of owner.children) child.parent = owner;
    }
    for (const node of [owner, ...owner.children]) node.children.sort((a, b) => (a.level === "rest") - (b.level === "rest") || bySize(a, b));
  }
  root.children.sort(bySize);
  return root;
}

/** The name in the block of a node: without the name of its owner. */
function shortName(node) {
  let [name, owner] = [visible(node.name), node.parent];
  while (owner?.level === "object") owner = owner.parent;
  if (node.level === "function" && owner) name = name.replaceAll(`${owner.name}.`, "");
  return node.level === "object" ? fileName(name) : name;
}

/** The blocks of the picture, column by column, each from the top down: the content of `root`, level by level. */
class IcicleLayout {
  constructor(root, columns, height, widths) {
    Object.assign(this, { root, columns, widths, blocks: columns.map(() => []) });
    this.scale = height / (root.bytes || 1);
    this.lefts = widths.map((_, index) => widths.slice(0, index).reduce((sum, one) => sum + one, 0));
    this.placeParts(root, 0);
  }
  columnOf(node) { return this.columns.indexOf(node.level === "rest" ? node.of : node.level); }
  placeParts(node, top) {
    const isThin = (one) => one.bytes * this.scale < LINE;
    const small = node.children.filter(isThin);
    const parts = node.children.filter((one) => !isThin(one));
    if (small.length === 1 && small[0].level === "rest")
      parts.push(small[0]);
    else if (small.length)
      parts.splice(parts.at(-1)?.level === "rest" ? -1 : parts.length, 0, foldedNode(node, small));
    for (const part of parts) {
      const column = this.columnOf(part);
      if (column >= 0) this.add(part, column, top);
      this.placeParts(part, top);
      top += part.bytes * this.scale;
    }
  }
  /** Adds a block. It extends to the column of its parts or, without parts, to the right edge. */
  add(node, column, top) {
    const next = node.children.length ? this.columnOf(node.children[0]) : -1;
    const end = next > column ? next : this.columns.length;
    const width = this.widths.slice(column, end).reduce((sum, one) => sum + one, 0);
    this.blocks[column].push({ node, column, top, height: node.bytes * this.scale, width, left: this.lefts[column] });
  }
}

/** The kinds of owners by the ends of their names, in the singular and in the plural: a module has no such end. */
function kindsOfOwners(owners) {
  const kinds = owners.filter(({ name }) => name !== UNKNOWN_OWNER)
                  .map(({ name }) => (/\.(a|lib)$/i.test(name) ? "archive" : /\.\w+$/.test(name) ? "file" : "module"));
  const found = ["module", "archive", "file"].filter((kind) => kinds.includes(kind));
  if (!found.length) found.push("module");
  const words = (ending) => found.map((kind) => kind + ending).join(", ").replace(/, (\w+)$/, " or $1");
  return [words(""), words("s")];
}

/** The parts of a node that are too thin to be drawn, as one. */
function foldedNode(parent, folded) {
  const sum = (key) => folded.reduce((total, one) => total + (one[key] ?? 0), 0);
  const count = folded.reduce((total, one) => total + (one.count ?? 1), 0);
  const of = folded[0].of ?? folded[0].level;
  const [one, many] = of === "owner" ? kindsOfOwners(folded) : [of, `${of}s`];
  return { level: "rest", isFolded: true, of, folded, name: counted(count, `smaller ${one}`, `smaller ${many}`), parent,
           children: [], bytes: sum("bytes"), usedBytes: sum("usedBytes") };
}

const isFoundIn = (node, found) => node.one ? node.one.number >= 0 && found[node.one.number] > 0 :
  (node.folded ?? node.children).some((one) => isFoundIn(one, found));

class Icicle {
  constructor(layout, report, map, state) {
    Object.assign(this, { layout, report, map, state, tree: byteTree(layout, report) });
    this.hasObjects = this.tree.children.some((owner) => owner.children.some((one) => one.level === "object"));
    this.levels = ["owner", ...(this.hasObjects ? ["object"] : []), "function"];
    this.trail = element("div", { class: "trail" });
    this.heads = element("div", { class: "levels", "aria-hidden": "true" });
    this.node = element("div", { class: "icicle", role: "tree", tabindex: 0, "aria-label": "Modules, objects and functions by size" });
    this.reading = element("p", { class: "reading quiet" });
    this.tables = element("div");
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("focus", () => this.select(this.selected ?? 0));
    this.node.addEventListener("pointermove", (event) => this.tell(this.blockAt(event)?.node));
    this.node.addEventListener("pointerleave", () => this.tell(null));
    this.node.addEventListener("click", (event) => {
      const block = this.blockAt(event);
      if (block) this.open(block.node);
    });
    this.redraw = drawnToWidth(this.node, (width) => this.draw(width));
    this.tell(null);
    state.listen((_, before) => {
      if (state.owner !== before.owner || state.object !== before.object) {
        this.inside = null;
        this.show();
      }
      if (state.find !== before.find) this.redraw();
    });
    this.show();
  }
  /**
   * The node that the picture shows: the image, the owner or object in the address, or parts that were too thin to be
   * drawn.
   */
  get root() {
    if (this.inside) return this.inside;
    const owner = this.tree.children.find((one) => one.name === this.state.owner);
    return owner?.children.find((one) => one.level === "object" && one.name === this.state.object) ?? owner ?? this.tree;
  }
  zoom(node) {
    while (node.level === "function" || (node.level === "rest" && !node.isFolded)) node = node.parent;
    this.selected = 0;
    if (node.isFolded) {
      this.inside = {...node, children: node.folded };
    } else {
      this.inside = null;
      this.state.set({
        owner: node.level === "owner" ? node.name : node.level === "object" ? node.parent.name : null,
        object: node.level === "object" ? node.name : null,
      });
    }
    this.show();
  }
  /**
   * Opens the page of a function, and zooms to other nodes. If functions are only counted and their owner is zoomed to,
   * opens the table.
   */
  open(node) {
    if (node.level === "function")
      this.map.choose(this.layout, Math.floor(node.one.address / this.layout.pageSize), true);
    else if (node.isUncounted && node.parent === this.root)
      this.showTable();
    else
      this.zoom(node);
  }
  back() {
    if (this.root.parent) this.zoom(this.root.parent);
  }
  showTable() {
    const details = this.tables.querySelector("details");
    details.open = true;
    details.querySelector("summary").focus();
  }
  show() {
    const { root } = this;
    const path = [];
    for (let node = root; node; node = node.parent) path.unshift(node);
    this.trail.replaceChildren(
      ...path.flatMap((node, index) => [
        index > 0 && element("span", { "aria-hidden": "true" }, "\u203a"),
        node === root ? element("strong", {}, visible(node.name)) :
                        element("button", { type: "button", onclick: () => this.zoom(node) }, visible(node.name)),
      ]).filter(Boolean), element("span", {}, `${byteCount(root.bytes)}, ${useWords(root)}`
        + (root.usedBytes || root === this.tree ? "" : ": it could be loaded later")));
    this.tables.replaceChildren(nodeTable(root, (node) => this.open(node)));
    this.redraw();
  }
  draw(width) {
    const { root, levels } = this;
    const isNarrow = width < 600;
    const first = root.children[0]?.of ?? root.children[0]?.level;
    const below = levels.slice(Math.max(0, levels.indexOf(first)));
    const columns = isNarrow ? below.slice(0, 2) : below;
    const shares = columns.length === 3 ? [0.28, 0.28, 0.44] : columns.length === 2 ? [0.44, 0.56] : [1];
    const height = isNarrow ? 600 : 560;
    this.node.style.height = `${height}px`;
    const placed = new IcicleLayout(root, columns, height, shares.map((share) => share * width));
    this.heads.replaceChildren(
      ...columns.map((level, index) => element("span", { style: `width:${shares[index] * width}px` }, firstLetterUp(level === "owner" ? kindsOfOwners(this.tree.children)[0] : level))));
    this.blocks = placed.blocks.flat();
    const context = element("canvas").getContext("2d");
    context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const found = this.map?.search?.found;
    this.items = this.blocks.map((block, index) => this.item(block, index, (text) => context.measureText(text).width, found));
    this.node.replaceChildren(...this.items);
    this.selected = Math.min(this.selected ?? 0, this.items.length - 1);
    this.mark();
  }
  item({ node, column, top, height, width, left }, index, widthOf, found) {
    const isUnused = node.level !== "rest" && !node.usedBytes;
    const room = width - 12;
    const all = `${byteCount(node.bytes)}, ${useWords(node)}`.replace(/, $/, "");
    const few = all.split(", ").slice(0, 2).join(", ");
    const name = height >= LINE ? fitted(shortName(node), room, widthOf) : null;
    // The words about a block follow its name, or are below the name.
    const isWhole = name === shortName(node);
    const beside = isWhole && [all, few, byteCount(node.bytes)].find((words) => widthOf(`${name}  ${words}`) * 1.04 <= room);
    const below = !beside && name && height >= 2 * LINE && [all, few].find((words) => widthOf(words) <= room);
    const isFound = found && isFoundIn(node, found);
    return element(
      "div", {
        id: `block-${index}`,
        role: "treeitem",
        "aria-level": column + 1,
        "aria-selected": "false",
        "aria-label": nodeWords(node),
        class: [node.level === "rest" ? "rest" : isUnused ? "unused" : "", isFound && "found"].filter(Boolean).join(" ") || null,
        style: `left:${left.toFixed(1)}px;top:${top.toFixed(2)}px;width:${width.toFixed(1)}px;height:${height.toFixed(2)}px`,
      },
      node.usedBytes > 0 && element("span", { class: "used", style: `width:${(shareOf(node) * 100).toFixed(1)}%` }),
      name && element("span", { class: "label" }, element("b", {}, name), beside && ` ${beside}`),
      below && element("span", { class: "label" }, below));
  }
  blockAt(event) {
    const box = this.node.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return this.blocks.find((one) => x >= one.left && x < one.left + one.width && y >= one.top && y < one.top + one.height);
  }
  /** Describes the block under the pointer, or the selected block. */
  tell(node) {
    const { reading } = this;
    node ??= document.activeElement === this.node ? this.blocks[this.selected]?.node : null;
    reading.classList.toggle("keys", !node);
    if (!node) {
      reading.textContent = "Arrow keys move through the blocks, Enter zooms into a block or opens the page of a function, and Esc goes back.";
      return;
    }
    const path = [];
    for (let one = node.parent; one?.parent; one = one.parent) path.unshift(visible(one.name));
    const first = node.one && node.one.step < Infinity ? `; first use #${number(node.one.step + 1)}` : "";
    reading.textContent = `${path.map((one) => one + " \u203a ").join("")}${nodeWords(node)}${first}.`;
  }
  select(index) {
    if (index < 0 || index >= this.items.length) return;
    this.selected = index;
    this.mark();
    this.tell(null);
  }
  mark() {
    this.items.forEach((item, index) => item.setAttribute("aria-selected", String(index === this.selected)));
    if (this.items.length) this.node.setAttribute("aria-activedescendant", `block-${this.selected}`);
  }
  /**
   * Handles a key: it selects a block's owner, its first part or a neighbor in its column, opens a block, or goes back.
   */
  key(event) {
    const { blocks, selected } = this;
    const { node, column } = blocks[selected] ?? {};
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = (test) => blocks.findIndex(test);
    const inColumn = (index) => (blocks[index]?.column === column ? index : selected);
    const first = place((one) => one.column === column);
    const moves = {
      ArrowDown: () => inColumn(selected + 1),
      ArrowUp: () => inColumn(selected - 1),
      ArrowLeft: () => place((one) => one.node === node.parent),
      ArrowRight: () => place((one) => one.node.parent === node),
      Home: () => first,
      End: () => first + blocks.filter((one) => one.column === column).length - 1,
    };
    if (event.key === "Escape" && this.root.parent && !this.state.isOpen) this.back();
    else if (event.key === "Enter" || event.key === " ") this.open(node);
    else if (moves[event.key]) this.select(moves[event.key]());
    else return;
    event.preventDefault();
  }
}

/** `text` if it fits, else its beginning if that has at least 9 letters; else `null`. */
function fitted(text, room, widthOf) {
  if (widthOf(text) <= room) return text;
  let kept = Math.floor(text.length * room / widthOf(text));
  while (kept > 0 && widthOf(text.slice(0, kept) + "\u2026") > room) kept--;
  return kept >= 9 ? text.slice(0, kept) + "\u2026" : null;
}

/** The parts of a node, each with the action of its block. */
function nodeTable(root, open) {
  const level = root.children.find((one) => one.level !== "rest")?.level ?? "function";
  const isFunction = level === "function";
  return tableBeside(
    isFunction ? `functions of ${visible(root.name)}` : level === "object" ? `objects of ${visible(root.name)}` :
                 kindsOfOwners(root.children.flatMap((one) => one.folded ?? one))[1],
    [
      column("name", (one) => one.name, {
        kind: "name",
        show: (one) => one.level === "rest" ? visible(one.name) :
          element("button", { class: "link", type: "button", onclick: () => open(one) }, visible(one.name))
      }),
      column("bytes", (one) => number(one.bytes), { kind: "number" }),
      column("used", (one) => percent(shareOf(one)), { kind: "number" }),
      !isFunction && column("functions", (one) => number(one.functions ?? one.count), { kind: "number" }),
      !isFunction && column("used functions", (one) => number(one.usedFunctions ?? 0), { kind: "number" }),
    ].filter(Boolean),
    () => root.children);
}

/** A sentence about the owners that the launch does not use. */
function unusedSentence(tree) {
  const unused = tree.children.filter((one) => one.functions > 0 && one.usedFunctions === 0);
  if (!unused.length) return null;
  const few = unused.slice(0, 4).map((one) => `${visible(one.name)} (0 of ${number(one.functions)} functions, ${byteCount(one.bytes)})`);
  const bytes = unused.reduce((sum, one) => sum + one.bytes, 0);
  return element(
    "p", {}, `The launch uses nothing of ${counted(unused.length, ...kindsOfOwners(unused))}, ${
      byteCount(bytes)}: ${few.join(", ")}${unused.length > few.length ? ` and ${number(unused.length - few.length)} more` : ""}. ${
      unused.length === 1 ? "It" : "They"} could be loaded later.`);
}

function bytesView(report, map, state) {
  const layout = report.layouts.at(-1);
  if (!layout?.owners.length) return null;
  // Without basic blocks, a function is used as a whole.
  const isWhole = !layout.functions.some((one) => one.ranges.length && one.size && usedBytesOf(one) < one.size);
  const icicle = new Icicle(layout, report, map, state);
  const sample = (name, ...children) => element(
    "span", { class: "icicle sample", "aria-hidden": "true" }, element("span", { class: name }, ...children));
  return view(
    "bytes", "Where the bytes are",
    note(
      "The height of a block shows its bytes, and the length of its bar shows the share that the launch uses: the coloured area is the used bytes.",
      isWhole && " A function counts as a whole, because no basic blocks were recorded."),
    element(
      "ul", { class: "key" }, element("li", {}, sample("part", element("span", { class: "used", style: "width:60%" })), "used share"),
      element("li", {}, sample("part unused"), "nothing used"), element("li", {}, sample("part rest"), "too small to be drawn alone, or only counted")),
    icicle.trail, icicle.heads, icicle.node, icicle.reading, unusedSentence(icicle.tree), icicle.tables,
    layout.otherOwners > 0 && note(`${number(layout.otherOwners)} further owners are not in this report.`));
}
