// The data: one JSON document, deflated. Numbers are in columns, each name is stored once, and addresses count from the
// first byte of the image.

const readData = async () => JSON.parse(await unpacked("data"));

/**
 * The symbols. Each is stored without the beginning that it shares with the symbol before; empty if it is the same as
 * its name.
 */
function unshared({ rest, shared }) {
  let before = "";
  return rest.map((text, index) => {
    if (!text && !shared[index]) return "";
    return (before = before.slice(0, shared[index]) + text);
  });
}

/** Adds up differences: ascending numbers are stored as the difference from the number before. */
const runningSums = (differences) => {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
};

/** The rows of a table that is stored by column. */
const rows = (columns) => {
  const entries = Object.entries(columns).filter(([, values]) => Array.isArray(values));
  return entries[0][1].map((_, row) => {
    const values = {};
    for (const [key, column] of entries) values[key] = column[row];
    return values;
  });
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

/** The largest value; `least` if there is none. Spreading a long array into `Math.max` overflows the stack. */
const largest = (values, least = 0) => {
  let most = least;
  for (const value of values)
    if (value > most) most = value;
  return most;
};

/**
 * The median. For an even number of values, it is the mean of the two middle ones, as in all medians of `orderfile`.
 */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** The first place of an ascending array at which `isAtLeast` holds. */
function firstPlace(values, isAtLeast) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAtLeast(values[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/** The curve of a layout: `[step, pages, floorPages]`, the pages touched up to a step. */
const curveOf = (stored) => {
  const [steps, pages, floors] = [stored.step, stored.pages, stored.floorPages].map(runningSums);
  return steps.map((step, index) => [step, pages[index], floors[index]]);
};
