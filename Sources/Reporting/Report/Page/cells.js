// The cells of a page map: each is a page, or what the zoom makes of it, of one kind of segment. Both strips have the same
// number of columns, and a new row begins where the kind changes.

const ZOOMS = [[512, "512 B"], [4096, "4 KiB"], [16384, "16 KiB"], [65536, "64 KiB"]];
const MOST_CELLS = 40000;
const [WIDTH, HEIGHT, GAP, LABEL] = [11, 14, 2, 20];
const ROW = HEIGHT + GAP + 4;

/** What a cell shows, from what is known of its bytes. */
function cellOf(layout, start, end, isPart) {
  const size = layout.pageSize;
  const [first, last] = [Math.floor(start / size), Math.ceil(end / size)];
  const cell = { start, end, page: first, run: 0, step: Infinity, isPredicted: false, isExecuted: false, isRead: false };
  const owners = new Map();
  for (let page = first; page < last; page++) {
    for (const touch of layout.measuredPages.get(page) ?? [])
      if (touch.access === 0)
        cell.isExecuted = true;
      else
        cell.isRead = true;
    const predicted = layout.cells.get(page);
    if (predicted) {
      cell.isPredicted = true;
      cell.step = Math.min(cell.step, predicted.step);
      cell.run += predicted.bytes;
    }
    const owner = layout.pageOwners[page] ?? -1;
    if (owner >= 0) owners.set(owner, (owners.get(owner) ?? 0) + 1);
  }
  cell.owner = -1;
  for (const [owner, pages] of owners)
    if (pages > (owners.get(cell.owner) ?? 0)) cell.owner = owner;
  if (!isPart) return cell;
  // A measured launch tells which page it executes, not which part of it: the cells of a page show what is predicted.
  cell.run = layout.runBytes(start, end);
  cell.isPart = true;
  cell.isPredicted = cell.run > 0;
  cell.isExecuted = cell.isExecuted && cell.isPredicted;
  cell.isRead = false;
  return cell;
}

/** What touched a cell. */
const shapeOf = (cell, isMeasured) => {
  if (cell.isPredicted) return cell.isExecuted || !isMeasured || cell.isPart ? "full" : "hatched";
  return cell.isExecuted ? "dotted" : cell.isRead ? "barred" : "pale";
};

class Grid {
  constructor(layout, zoom, columns) {
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
  }
  /** The cell at a point; none between cells. */
  at(x, y) {
    const row = this.firstOfRow[firstPlace(this.firstOfRow, (one) => one.y > y) - 1];
    if (!row || y >= row.y + HEIGHT + 4) return null;
    const cell = this.cells[row.index + Math.floor((x + 1) / (WIDTH + GAP))];
    return cell?.y === row.y && x < cell.x + WIDTH + 1 ? cell : null;
  }
  /** The cell above or below one, in the nearest column that the row there has. */
  beside(cell, rows) {
    const row = firstPlace(this.firstOfRow, (one) => one.y > cell.y) - 1;
    const to = Math.max(0, Math.min(this.firstOfRow.length - 1, row + rows));
    const [first, end] = [this.firstOfRow[to].index, this.firstOfRow[to + 1]?.index ?? this.cells.length];
    return this.cells[Math.min(end - 1, first + cell.index - this.firstOfRow[row].index)];
  }
}
