// The page faults of launches without a tracer. They are measured, and their times are their own: no picture shows them
// on the axis of the recording, which is another, slower launch.

/** The places of faults, from what an order file moves to what no linker places. */
const FAULT_PARTS = ["code", "data", "other files", "memory"];
const MINOR_LENGTH = 9;
const MAJOR_LENGTH = 24;

class LaunchFaults {
  constructor(stored, report) {
    this.stored = stored;
    this.layout = report.layoutOf(stored.side) ?? null;
    this.suffix = this.layout?.suffix ?? "";
    this.title = `${stored.cache} launch${this.suffix && `,${this.suffix}`}`;
    const nameOf = (name) => report.names[name] ?? "";
    this.list = runningSums(stored.nanoseconds).map((time, index) => ({
      time: time / 1000,
      took: stored.handlingNanoseconds[index] / 1000,
      isMajor: stored.kind[index] === 1,
      part: stored.parts[stored.place[index]],
      place: stored.places[stored.place[index]],
      page: this.layout && stored.address[index] >= 0 ? Math.floor(stored.address[index] / this.layout.pageSize) : null,
      name: nameOf(stored.name[index]),
      by: nameOf(stored.by[index]),
    }));
    /** In microseconds, as all times of the page. */
    this.end = Math.max(stored.wallNanoseconds / 1000, this.list.at(-1)?.time ?? 0, 1);
    this.byPage = new Map();
    for (const fault of this.list) {
      if (fault.page === null) continue;
      if (!this.byPage.has(fault.page)) this.byPage.set(fault.page, []);
      this.byPage.get(fault.page).push(fault);
    }
  }
  count(isMajor) { return this.list.filter((fault) => fault.isMajor === isMajor).length; }
  /** The faults on a page of a layout, by time. */
  onPage(layout, page) { return layout === this.layout ? this.byPage.get(page) ?? [] : []; }
  /** The launch in words, and the time that it spent on faults. */
  get summary() {
    const { list, stored } = this;
    const took = list.reduce((sum, fault) => sum + fault.took, 0);
    return `${counted(this.count(true), "major fault")} and ${number(this.count(false))} minor ones of the program in ${
      milliseconds(this.end)}, of which the kernel took ${milliseconds(took)} for them; with its own, as in exec, the kernel counted ${
      number(stored.majorFaults)} and ${number(stored.minorFaults)}`
      + (stored.lost ? `; ${counted(stored.lost, "record")} more came too fast to be listed` : "");
  }
}

/**
 * The end of the axis of launches with one cache, in microseconds: that of the slowest launch. A launch that takes more than
 * four times as long as the lower median extends beyond the axis, because it would flatten the others.
 */
function axisEnd(launches) {
  const ends = launches.map((launch) => launch.end).sort((a, b) => a - b);
  const usual = ends[(ends.length - 1) >> 1];
  return ends.filter((end) => end <= 4 * usual).at(-1);
}

/** A note on the launches that extend beyond an axis; `null` if no launch does. */
function beyondAxis(launches, end) {
  const beyond = launches.filter((launch) => launch.end > end);
  if (!beyond.length) return null;
  const words = beyond.map((launch) => {
    const later = launch.list.filter((fault) => fault.time > end).length;
    return `The ${launch.title} took ${milliseconds(launch.end)}, far longer than the others: ${
      later ? `${number(later)} of its ${counted(launch.list.length, "fault")} are` : "its end is"} beyond the axis.`;
  });
  return note(words.join(" "));
}

/** The page of a fault, for a table; empty for faults outside of the layouts. */
const faultPage = (launch, map) => column("page", (fault) => fault.page === null ? "" : launch.layout.pageAddress(fault.page), {
  show: (fault) => fault.page === null ? "" :
    map                                ? pageButton(map, launch.layout, fault.page) :
                                         launch.layout.pageAddress(fault.page)
});

/** How long the kernel took: a minor fault takes a few thousandths of a millisecond. */
const microsecondsTaken = (took) => (took < 1000 ? `${took.toFixed(1)} \u00b5s` : milliseconds(took));

/** When a page of a layout faulted, a sentence for each launch. */
const faultsOfPage = (report, layout, page) => report.faults.flatMap((launch) => {
  const found = launch.onPage(layout, page);
  if (!found.length) return [];
  const times = found.slice(0, 4).map(
    (fault) => `at ${milliseconds(fault.time)} (${fault.isMajor ? "major" : "minor"}, ${microsecondsTaken(fault.took)}${
      fault.by ? `, by ${fault.by}` : ""})`);
  const more = found.length > times.length ? ` and ${number(found.length - times.length)} times more` : "";
  return [`In the ${launch.stored.cache} launch ${times.join(", ")}${more}.`];
});
