// One layout of the image: what is where, and what a launch touches of it.

const CODE = 2; // an index into SEGMENTS
const SEGMENTS = ["", "read-only", "code", "data"];
const ACCESSES = ["executed", "read", "written", "used by a system call"];
const NO_SYMBOL = "code without a symbol";
const UNKNOWN_OWNER = "unknown";

class Layout {
  constructor(stored, report) {
    const { names, symbols, pageSizeBytes } = report;
    this.side = stored.side;
    // A single layout is neither before nor after.
    this.title = { before: "Before", after: "After", only: "" }[stored.side];
    this.suffix = stored.side === "only" ? "" : ` ${stored.side}`;
    this.path = stored.path;
    [this.architecture, this.id] = [stored.architecture, stored.id];
    this.base = BigInt(stored.base);
    this.pageSize = pageSizeBytes;
    this.functionCount = stored.functionCount;
    this.sections = rows(stored.sections).map((section) => ({...section, name: names[section.name] }));
    this.end = largest(this.sections.map((section) => section.address + section.size));
    this.pageCount = Math.ceil(this.end / this.pageSize);
    this.names = names;
    this.owners = rows(stored.owners)
                    .map((owner) => ({
                           ...owner,
                           name: names[owner.name] || UNKNOWN_OWNER,
                           object: names[owner.object] || "",
                         }));
    this.otherOwners = stored.otherOwners;
    this.pageOwners = stored.pageOwners;
    this.readFunctions(stored, symbols);
    this.cells = new Map();
    const pages = runningSums(stored.pages.page);
    pages.forEach((page, index) => this.cells.set(page, {
      step: stored.pages.step[index],
      bytes: stored.pages.bytes[index],
      functions: stored.pages.functions[index],
      isOrderable: stored.pages.orderable[index] === 1,
    }));
    /** The number of pages that `diff` counts, also without code, and beyond the addresses that a report shows. */
    this.predictedPages = report.documents.diff?.textPages?.[this.side] ?? this.cells.size;
    this.curve = curveOf(stored.curve);
    const { measured } = stored;
    this.method = measured?.method;
    this.measured = (measured?.address ?? []).map((address, index) => ({
      access: measured.access[index],
      address,
      step: measured.step[index],
      number: measured.name[index],
      name: names[measured.name[index]] ?? NO_SYMBOL,
      symbol: names[measured.symbol?.[index]] ?? null,
    }));
    this.measuredPages = this.group(this.measured, (touch) => [touch.address, touch.address + 1]);
    this.readKinds();
  }

  readFunctions({ functions, touched }, symbols) {
    const { names } = this;
    const numbers = runningSums(functions.name);
    let end = 0;
    this.functions = numbers.map((number, index) => {
      const size = functions.size[index];
      const address = end + functions.gap[index];
      end = address + size;
      return {
        number,
        name: names[number] ?? NO_SYMBOL,
        isNamed: number >= 0,
        symbol: symbols[number] || (names[number] ?? NO_SYMBOL),
        owner: functions.owner[index],
        object: functions.object[index],
        address,
        size,
        end: address + Math.max(1, size),
        step: Infinity,
        launches: functions.launches?.[index],
        ranges: [],
      };
    });
    const steps = runningSums(touched.step);
    this.touches = rows(touched).map((touch, index) => {
      const one = this.functions[touch.function];
      const address = (one?.address ?? 0) + touch.offset;
      const size = touch.size >= 0 ? touch.size : (one ? one.address + one.size : 0) - address;
      return {...touch, address, size, step: steps[index], cause: names[touch.cause] };
    });
    const ranges = [];
    for (const touch of this.touches) {
      const range = [touch.address, touch.address + Math.max(1, touch.size)];
      ranges.push(range);
      const used = this.functions[touch.function];
      if (!used) continue;
      used.step = Math.min(used.step, touch.step);
      used.ranges.push(range);
    }
    this.runs = union(ranges);
  }

  /**
   * Finds the kind of each page: code if any code is on it. A page without a section has the kind of the page before
   * it.
   */
  readKinds() {
    this.kinds = new Uint8Array(this.pageCount);
    for (const { kind, address, size } of this.sections) {
      const last = Math.ceil((address + size) / this.pageSize);
      for (let page = Math.floor(address / this.pageSize); page < last; page++)
        if (this.kinds[page] !== CODE) this.kinds[page] = kind === CODE ? CODE : Math.max(this.kinds[page], kind);
    }
    for (let page = 1; page < this.pageCount; page++)
      if (!this.kinds[page]) this.kinds[page] = this.kinds[page - 1];
    this.codePages = this.kinds.reduce((sum, kind) => sum + (kind === CODE ? 1 : 0), 0);
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
  pageAddress(page) { return this.address(page * this.pageSize); }
  pageAt(address) {
    const offset = Number(BigInt(address) - this.base);
    return offset >= 0 && offset < this.end ? Math.floor(offset / this.pageSize) : null;
  }

  /** The section with the most bytes in `[start, end)`, only with code if `kind` is `CODE`; `null` for a gap. */
  sectionOf(start, end, kind) {
    let [found, most] = [null, 0];
    for (const section of this.sections) {
      const bytes = Math.min(end, section.address + section.size) - Math.max(start, section.address);
      if (bytes > most && (kind !== CODE || section.kind === CODE)) [found, most] = [section, bytes];
    }
    return found;
  }
  sectionOfPage(page) {
    const [start, end] = [page * this.pageSize, (page + 1) * this.pageSize];
    return this.sectionOf(start, end, this.kinds[page]);
  }

  /** The owner of the most bytes of functions on a page; `null` if no function is on it. */
  ownerName(page) {
    const owner = this.pageOwners[page] ?? -1;
    return owner < 0 ? null : this.names[owner] || UNKNOWN_OWNER;
  }
  /** The index of an owner's name; -1 for an unknown owner, however it is stored. */
  ownerIndex(owner) { return owner >= 0 && this.names[owner] ? owner : -1; }
  nameOfOwner(one) { return this.names[one.owner] || UNKNOWN_OWNER; }

  /** The bytes of `[start, end)` that run. */
  runBytes(start, end) {
    let bytes = 0;
    for (let place = firstPlace(this.runs, (run) => run[1] > start); place < this.runs.length && this.runs[place][0] < end;
         place++)
      bytes += Math.min(end, this.runs[place][1]) - Math.max(start, this.runs[place][0]);
    return bytes;
  }
  bytesOfPage(page) { return this.cells.get(page)?.bytes ?? 0; }

  functionsOnPage(page) {
    this.functionsOfPages ??= this.group(this.functions, (one) => [one.address, one.end]);
    return this.functionsOfPages.get(page) ?? [];
  }
  usedOnPage(page) {
    const [start, end] = [page * this.pageSize, (page + 1) * this.pageSize];
    return this.functionsOnPage(page).filter((one) => one.ranges.some(([from, to]) => from < end && to > start));
  }
  touchesOnPage(page) {
    this.touchesOfPages ??= this.group(this.touches, (touch) => [touch.address, touch.address + Math.max(1, touch.size)]);
    return this.touchesOfPages.get(page) ?? [];
  }

  isPredicted(page) { return this.cells.has(page); }
  isExecuted(page) { return this.measuredPages.get(page)?.some((touch) => touch.access === 0) ?? false; }
  isTouched(page) { return this.measuredPages.has(page) || this.cells.has(page); }
  get executedPages() { return [...this.measuredPages.keys()].filter((page) => this.isExecuted(page)).length; }

  /** The pages with touched bytes, ascending. */
  get touchedPages() {
    this.touchedList ??= [...new Set([...this.measuredPages.keys(), ...this.cells.keys()])].sort((a, b) => a - b);
    return this.touchedList;
  }
  touchedAfter(page) { return this.touchedPages[firstPlace(this.touchedPages, (one) => one > page)]; }
  touchedBefore(page) { return this.touchedPages[firstPlace(this.touchedPages, (one) => one >= page) - 1]; }

  /** Whether an order file can empty the page: all that touches it are startup functions with names. */
  canBeEmptied(page) {
    const cell = this.cells.get(page);
    if (!cell?.isOrderable) return false;
    const used = new Set(this.usedOnPage(page).map((one) => one.number));
    return (this.measuredPages.get(page) ?? []).every((touch) => touch.access === 0 && used.has(touch.number));
  }
}
