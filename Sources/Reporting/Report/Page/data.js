// The data: one JSON document, deflated. Numbers are in columns, each name is stored once, and addresses count from the
// first byte of the image.

async function readData() {
  const text = atob(document.getElementById("data").textContent);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(inflated).text());
}

/** Adds up differences: ascending numbers are stored as what each adds to the one before. */
const runningSums = (differences) => {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
};

/** The rows of a table that is stored by column. */
const rows = (columns) => {
  const keys = Object.keys(columns);
  return columns[keys[0]].map((_, row) => Object.fromEntries(keys.map((key) => [key, columns[key][row]])));
};

/** The sorted union of `[start, end]` ranges. */
function union(ranges) {
  const merged = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1])
      last[1] = Math.max(last[1], end);
    else
      merged.push([start, end]);
  }
  return merged;
}

const CODE = 2;
const ACCESSES = ["executed", "read", "written", "used by a system call"];
const SEGMENTS = ["", "read-only", "code", "data"];

/** One layout of the image: what is where, and what a launch touches of it. */
class Layout {
  constructor(stored, report) {
    const { names, symbols, pageSizeBytes } = report;
    this.side = stored.side;
    this.title = stored.side === "after" ? "After" : "Before";
    this.path = stored.path;
    this.base = BigInt(stored.base);
    this.pageSize = pageSizeBytes;
    this.functionCount = stored.functionCount;
    this.sections = rows(stored.sections).map((section) => ({...section, name: names[section.name] }));
    this.end = Math.max(0, ...this.sections.map((section) => section.address + section.size));
    this.pageCount = Math.ceil(this.end / this.pageSize);
    this.owners = rows(stored.owners)
                    .map((owner) => ({...owner, name: names[owner.name] || "without a module" }))
                    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
    this.pageOwners = stored.pageOwners;
    this.ownerName = (page) => names[this.pageOwners[page]];

    const addresses = runningSums(stored.functions.address);
    this.functions = rows(stored.functions).map((row, index) => {
      const name = names[row.name] ?? "code without a symbol";
      return {
        name,
        isNamed: row.name >= 0,
        symbol: symbols[row.name] || name,
        owner: row.owner,
        ownerName: names[row.owner] || "without a module",
        address: addresses[index],
        size: row.size,
        end: addresses[index] + Math.max(1, row.size),
        step: Infinity,
        ranges: [],
      };
    });
    this.touches = rows(stored.touched).map((touch) => ({...touch, cause: names[touch.cause] }));
    for (const touch of this.touches) {
      const used = this.functions[touch.function];
      if (!used) continue;
      used.step = Math.min(used.step, touch.step);
      used.ranges.push([touch.address, touch.address + Math.max(1, touch.size)]);
    }
    this.runs = union(this.touches.map((touch) => [touch.address, touch.address + Math.max(1, touch.size)]));
    this.method = stored.measured?.method;
    this.measured = stored.measured ?
      rows({
        access: stored.measured.access,
        address: stored.measured.address,
        name: stored.measured.name,
        step: stored.measured.step
      }).map((touch) => ({...touch, name: names[touch.name] ?? "code without a symbol" })) :
      [];
    this.measuredPages = this.group(this.measured, (touch) => [touch.address, touch.address + 1]);
    this.predictedPages = this.group(this.touches, (touch) => [touch.address, touch.address + Math.max(1, touch.size)]);
  }

  /** Values by the pages that their range touches. */
  group(values, range) {
    const pages = new Map();
    for (const value of values) {
      const [start, end] = range(value);
      const last = Math.min(this.pageCount, Math.ceil(end / this.pageSize));
      for (let page = Math.floor(start / this.pageSize); page < last; page++) {
        if (pages.has(page))
          pages.get(page).push(value);
        else
          pages.set(page, [value]);
      }
    }
    return pages;
  }

  address(offset) { return "0x" + (this.base + BigInt(offset)).toString(16); }
  pageAt(address) {
    const offset = Number(BigInt(address) - this.base);
    return offset >= 0 && offset < this.end ? Math.floor(offset / this.pageSize) : null;
  }
  section(offset) {
    return this.sections.find((section) => offset >= section.address && offset < section.address + section.size);
  }

  /** The first section that overlaps the page: what kind of page it is. */
  sectionOfPage(page) {
    const [start, end] = [page * this.pageSize, (page + 1) * this.pageSize];
    return this.sections.find((section) => section.address < end && section.address + section.size > start);
  }
  /** The bytes of `[start, end)` that run. */
  runBytes(start, end) {
    let [low, high] = [0, this.runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.runs[middle][1] <= start)
        low = middle + 1;
      else
        high = middle;
    }
    let bytes = 0;
    for (; low < this.runs.length && this.runs[low][0] < end; low++)
      bytes += Math.min(end, this.runs[low][1]) - Math.max(start, this.runs[low][0]);
    return bytes;
  }
  functionsOnPage(page) {
    this.functionsOfPages ??= this.group(this.functions, (one) => [one.address, one.end]);
    return this.functionsOfPages.get(page) ?? [];
  }
  isExecuted(page) { return this.measuredPages.get(page)?.some((touch) => touch.access === 0) ?? false; }
  isTouched(page) { return this.measuredPages.has(page) || this.predictedPages.has(page); }

  /** The pages with touched bytes, ascending. */
  get touchedPages() {
    return [...new Set([...this.measuredPages.keys(), ...this.predictedPages.keys()])].sort((a, b) => a - b);
  }
  /** How many pages a launch has touched after each step: `[step, pages]`; and the fewest that could hold these bytes. */
  get curve() {
    const [seen, pages, floor] = [new Set(), [], []];
    let bytes = 0;
    for (const touch of this.touches) {
      const end = touch.address + Math.max(1, touch.size);
      for (let page = Math.floor(touch.address / this.pageSize); page * this.pageSize < end; page++) seen.add(page);
      bytes += touch.size;
      if (pages.at(-1)?.[0] === touch.step) {
        pages.pop();
        floor.pop();
      }
      pages.push([touch.step, seen.size]);
      floor.push([touch.step, Math.ceil(bytes / this.pageSize)]);
    }
    return { pages, floor };
  }
}
