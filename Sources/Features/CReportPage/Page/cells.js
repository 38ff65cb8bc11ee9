// The cells of a page map. A cell is a page, a part of a page or several pages, depending on the zoom, and of one kind
// of segment. Both strips have the same number of columns, and a new row begins where the kind changes.

const ZOOMS = [[512, "512 B"], [4096, "4 KiB"], [16384, "16 KiB"], [65536, "64 KiB"]];
const MOST_CELLS = 40000;
const [WIDTH, HEIGHT, GAP, LABEL] = [11, 14, 2, 20];
const ROW = HEIGHT + GAP + 4;

/** What a cell shows, from what is known of its bytes. */
function cellOf(layout, start, end, isPart) {
  const size = layout.pageSize;
  const [first, last] = [Math.floor(start / size), Math.ceil(end / size)];
  const cell = { start, end, page: first, run: 0, step: Infinity, shape: "pale" };
  const owners = new Map();
  for (let page = first; page < last; page++) {
    cell.shape = strongerShape(cell.shape, shapeOfPage(layout, page));
    const predicted = layout.cells.get(page);
    if (predicted) {
      cell.step = Math.min(cell.step, predicted.step);
      cell.run += predicted.bytes;
    }
    const owner = layout.ownerIndex(layout.pageOwners[page] ?? -1);
    if (owner >= 0) owners.set(owner, (owners.get(owner) ?? 0) + 1);
  }
  cell.owner = -1;
  for (const [owner, pages] of owners)
    if (pages > (owners.get(cell.owner) ?? 0)) cell.owner = owner;
  if (!isPart) return cell;
  // A measured launch shows which page it touches, but not which part of the page. Only the prediction distinguishes
  // parts.
  cell.run = layout.runBytes(start, end);
  if (cell.run > 0 || !layout.isPredicted(first)) return cell;
  cell.step = Infinity;
  cell.shape = layout.measuredPages.has(first) && !layout.isExecuted(first) ? "barred" : "pale";
  return cell;
}

/** The shape of a page, which shows what touched it. */
function shapeOfPage(layout, page) {
  const isTouched = layout.measuredPages.has(page);
  if (layout.isPredicted(page)) return isTouched || !layout.method ? "full" : "hatched";
  return layout.isExecuted(page) ? "dotted" : isTouched ? "barred" : "pale";
}
/** The shape of a cell with pages of both shapes. */
const strongerShape = (a, b) => (SHAPES.indexOf(a) <= SHAPES.indexOf(b) ? a : b);

/** The height of a line of owners' names above a row, and the width of a letter in it. */
const [NAMES, NAME_LETTER] = [13, 6.2];

/**
 * The names above a row: each owner at its first cell, where there is room for the name.
 * @param cells the cells of the row
 * @param owners the names of owners, by their number
 * @param before the owner that the row before ends with and names, which is not named again
 * @returns the labels, and the owner that this row ends with if it is named
 */
function ownerLabels(cells, owners, before) {
  const labels = [];
  let last = null;
  for (let place = 0; place < cells.length;) {
    const { owner, x } = cells[place];
    let end = place;
    while (end < cells.length && cells[end].owner === owner) end++;
    const name = owners.get(owner);
    const letters = Math.floor(((end - place) * (WIDTH + GAP) - GAP) / NAME_LETTER);
    let isNamed = place === 0 && owner === before;
    if (name && !isNamed && letters >= Math.min(name.length, 12)) {
      labels.push({ x, text: shortened(name, letters) });
      isNamed = true;
    }
    last = isNamed ? owner : null;
    place = end;
  }
  return { labels, last };
}

class Grid {
  /** @param owners the names to write above the cells, by the number of the owner */
  constructor(layout, zoom, columns, owners = new Map()) {
    Object.assign(this, { layout, zoom, columns, cells: [], labels: [], firstOfRow: [] });
    this.cellOfPage = new Map();
    let [top, column, kind] = [0, 0, null];
    for (let start = 0; start < layout.end;) {
      const page = Math.floor(start / layout.pageSize);
      const found = layout.kinds[page];
      let end = Math.min(start - (start % zoom) + zoom, layout.end);
      // A cell ends where the kind changes.
      for (let next = page + 1; next * layout.pageSize < end; next++)
        if (layout.kinds[next] !== found) end = next * layout.pageSize;
      if (found !== kind) {
        if (kind !== null) top += ROW + 6;
        this.labels.push({ top, text: `${SEGMENTS[found] ?? ""} from ${layout.address(start)}` });
        [top, column, kind] = [top + LABEL, 0, found];
      } else if (column === columns)
        [top, column] = [top + ROW, 0];
      if (column === 0) this.firstOfRow.push({ y: top, index: this.cells.length });
      const cell = {...cellOf(layout, start, end, zoom < layout.pageSize), kind, index: this.cells.length, x: column * (WIDTH + GAP), y: top };
      for (let one = cell.page; one * layout.pageSize < end; one++)
        if (!this.cellOfPage.has(one)) this.cellOfPage.set(one, cell.index);
      this.cells.push(cell);
      column++;
      start = end;
    }
    this.height = top + ROW + 1;
    this.nameOwners(owners);
  }
  /** Writes the names of owners above rows, and moves these and all later rows down. */
  nameOwners(owners) {
    let [moved, named, kind] = [0, null, null];
    this.names = [];
    this.firstOfRow.forEach((row, index) => {
      const cells = this.cells.slice(row.index, this.firstOfRow[index + 1]?.index ?? this.cells.length);
      if (cells[0].kind !== kind) named = null;
      ({ kind } = cells[0]);
      const label = this.labels.find((one) => one.top === row.y - LABEL);
      if (label) label.top += moved;
      const found = ownerLabels(cells, owners, named);
      named = found.last;
      if (found.labels.length) {
        this.names.push(...found.labels.map((one) => ({...one, top: row.y + moved })));
        moved += NAMES;
      }
      row.y += moved;
      for (const cell of cells) cell.y += moved;
    });
    this.height += moved;
  }
  /** The cell at a point; `null` between cells. */
  at(x, y) {
    const row = this.firstOfRow[firstPlace(this.firstOfRow, (one) => one.y > y) - 1];
    if (!row || y >= row.y + HEIGHT + 4) return null;
    const cell = this.cells[row.index + Math.floor((x + 1) / (WIDTH + GAP))];
    return cell?.y === row.y && x < cell.x + WIDTH + 1 ? cell : null;
  }
  /** The cell `rows` rows below a cell, or above it if negative, in the nearest column of that row. */
  beside(cell, rows) {
    const row = firstPlace(this.firstOfRow, (one) => one.y > cell.y) - 1;
    const to = Math.max(0, Math.min(this.firstOfRow.length - 1, row + rows));
    const [first, end] = [this.firstOfRow[to].index, this.firstOfRow[to + 1]?.index ?? this.cells.length];
    return this.cells[Math.min(end - 1, first + cell.index - this.firstOfRow[row].index)];
  }
}
