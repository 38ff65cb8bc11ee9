// What the views share: the stored document, its layouts, and the times of the recorded launch.

class Report {
  constructor(stored) {
    this.stored = stored;
    const { names, documents, absent, pageSizeBytes, otherLayouts, stages, traces } = stored;
    Object.assign(this, { names, documents, absent, pageSizeBytes, stages, traces });
    this.symbols = unshared(stored.symbols);
    this.layouts = stored.layouts.map((layout) => new Layout(layout, this));
    this.otherLayouts = otherLayouts.map(({ path, curve }) => ({ path, curve: curveOf(curve) }));
    const times = runningSums(stored.hits?.microseconds ?? []);
    this.hits = times.map((time, index) => {
      const number = stored.hits.name[index];
      return { index, time, thread: stored.hits.thread[index], number, name: names[number] };
    });
    this.marks = (stored.marks?.microseconds ?? []).map((time, index) => ({ time, name: names[stored.marks.name[index]] }));
    this.timeOfName = new Map();
    for (const hit of this.hits)
      if (!this.timeOfName.has(hit.number)) this.timeOfName.set(hit.number, hit.time);
    this.timeOfStep = new Map();
    this.functionOfName = new Map();
    for (const layout of this.layouts)
      for (const one of layout.functions) {
        if (one.step === Infinity) continue;
        this.functionOfName.set(one.number, { layout, one });
        const time = this.timeOfName.get(one.number);
        if (time != null && !this.timeOfStep.has(one.step)) this.timeOfStep.set(one.step, time);
      }
    this.check = documents.check ? new Check(documents.check, Object.fromEntries(stored.outcomes.map((one) => [one.outcome, one.limits]))) : null;
    this.faults = stored.faults.map((one) => new LaunchFaults(one, this));
    const titles = this.faults.map((launch) => launch.title);
    for (const launch of this.faults)
      if (titles.filter((title) => title === launch.title).length > 1) launch.title += `, ${visible(launch.stored.path)}`;
    this.lastStep = largest(this.layouts.map((layout) => layout.curve.at(-1)?.[0] ?? 0));
  }
  /** Whether the linker did not place a startup function of the last layout as the order file asks. */
  isOutsideOrder(one) {
    this.outside ??= new Set(this.stored.outsideOrder ?? []);
    return this.outside.has(one.address);
  }
  /** How a symbol of another document is shown here. */
  nameOf(symbol) {
    this.namesOfSymbols ??= new Map(this.symbols.map((one, index) => [one, this.names[index]]).filter(([one]) => one));
    return this.namesOfSymbols.get(symbol) ?? symbol;
  }
  time(one) { return this.timeOfName.get(one.number); }
  /** The time of the last step up to `step` that has a time, in microseconds: steps of other launches have no time. */
  timeAt(step) {
    this.timedSteps ??= [...this.timeOfStep].sort((a, b) => a[0] - b[0]);
    const place = firstPlace(this.timedSteps, ([one]) => one > step);
    return place ? this.timedSteps[place - 1][1] : 0;
  }
  layoutOf(side) { return this.layouts.find((layout) => layout.side === side); }
  pageOfHit(hit) {
    const found = this.functionOfName.get(hit.number);
    return found && { layout: found.layout, page: Math.floor(found.one.address / found.layout.pageSize) };
  }
}
