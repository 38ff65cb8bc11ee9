// How a cell is drawn. Its shape shows what touched it, so that colour is never the only sign:
//
//   full     predicted and touched, or predicted where nothing was measured
//   dotted   only executed
//   barred   only read or written
//   hatched  only predicted
//   pale     not touched
//
// A cell of several pages has the first of these shapes that one of its pages has. Parts of a page without predicted
// code are pale, or barred where the page is only read. The level shows how much of the cell ran, from the bottom up.
// The colour of the level, and the number of ticks at the top of the cell, can show in which fifth of the launch the
// cell was touched first. The line below a cell shows the owner by its colour and by its dashes. Each picture of a cell
// is drawn once, and copied to where it is needed.

const SHAPES = ["full", "dotted", "barred", "hatched", "pale"];
const SHAPE_WORDS = {
  full: "touched, as predicted",
  dotted: "only executed",
  barred: "only read or written",
  hatched: "only predicted",
  pale: "not touched",
};
const PART_WORDS = {
  full: "predicted, on a page that is touched",
  dotted: "on a page that is only executed",
  barred: "on a page that is only read or written",
  hatched: "predicted, on a page that is not touched",
  pale: "nothing predicted here",
};
const TONES = 5;
const COLOUR_NAMES = [
  "paper", "ink", "quiet", "cell", "edge", "touched", "run", "read",
  ...Array.from({ length: TONES }, (_, tone) => `tone${tone}`)
];
const OWNER_MARKS = [
  ["#3b82c4", [[0, 11]]], ["#d9822b", [[0, 5]]], ["#4f9d4f", [[6, 11]]], ["#b5539c", [[0, 3], [8, 11]]],
  ["#8a6fd1", [[0, 2], [4, 7], [9, 11]]], ["#c2504d", [[4, 7]]], ["#2a9d9d", [[0, 3], [5, 8]]], ["#9a8a2e", [[3, 6], [8, 11]]],
];

/**
 * The colours of the style as a canvas needs them. Forced colours would replace the colour of an element without this
 * class.
 */
function readColours() {
  const probe = element("i", { class: "probe", hidden: true });
  document.body.append(probe);
  const colours = Object.fromEntries(COLOUR_NAMES.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return colours;
}

/**
 * Draws again when the colours change. At `beforeprint` the report still has the colours of the screen; on paper it has
 * the light ones.
 * @param print is called before printing, and after it
 */
function redrawnForColours(redraw, print = () => {}) {
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "print"])
    matchMedia(query).addEventListener("change", redraw);
  const change = (isPrinting) => {
    document.documentElement.style.colorScheme = isPrinting ? "light" : "";
    print(isPrinting);
    redraw();
  };
  addEventListener("beforeprint", () => change(true));
  addEventListener("afterprint", () => change(false));
}

/** The fifth of the launch that contains a step; `null` for what is not predicted. */
const toneOf = (step, lastStep) => step === Infinity ? null :
                                                       Math.min(TONES - 1, Math.floor((step / (lastStep + 1)) * TONES));

/** Pictures of cells, each drawn once. */
class CellPictures {
  constructor(colours, scale) {
    Object.assign(this, { colours, scale, pictures: new Map() });
  }
  /** Draws a cell: `level` is the share of it that runs, and `tone` shows when it was touched first. */
  draw(context, shape, level, tone, x, y) {
    const isFilled = shape === "full" || shape === "hatched";
    const height = !isFilled || level <= 0 ? 0 : Math.max(1, Math.round(level * (HEIGHT - 2)));
    const key = `${shape} ${height} ${tone}`;
    if (!this.pictures.has(key)) this.pictures.set(key, this.picture(shape, height, tone));
    context.drawImage(this.pictures.get(key), x, y, WIDTH, HEIGHT);
  }
  picture(shape, height, tone) {
    const { colours, scale } = this;
    const canvas = element("canvas", { width: Math.ceil(WIDTH * scale), height: Math.ceil(HEIGHT * scale) });
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const isFilled = shape === "full" || shape === "hatched";
    context.fillStyle = shape === "pale" ? colours.cell : isFilled && tone === null ? colours.touched : colours.paper;
    context.fillRect(0, 0, WIDTH, HEIGHT);
    const main = tone === null ? colours.run : colours[`tone${tone}`];
    context.fillStyle = main;
    context.fillRect(0, HEIGHT - 1 - height, WIDTH, height);
    if (shape === "hatched") {
      context.strokeStyle = colours.paper;
      context.lineWidth = 1.5;
      context.beginPath();
      for (let at = -HEIGHT; at < WIDTH; at += 5) {
        context.moveTo(at, HEIGHT);
        context.lineTo(at + HEIGHT, 0);
      }
      context.stroke();
    } else if (shape === "dotted") {
      context.fillStyle = colours.ink;
      context.fillRect(WIDTH / 2 - 2, HEIGHT / 2 - 2, 4, 4);
    } else if (shape === "barred") {
      context.fillStyle = colours.read;
      for (const at of [3, 6, 9]) context.fillRect(2, at, WIDTH - 4, 2);
    }
    if (isFilled && tone !== null) {
      context.fillStyle = colours.paper;
      context.fillRect(1, 1, WIDTH - 2, 3);
      context.fillStyle = main;
      for (let tick = 0; tick <= tone; tick++) context.fillRect(1 + tick * 2, 1, 1, 3);
    }
    // A touched cell has an edge: with a low level, it would hardly differ from an untouched cell otherwise.
    context.strokeStyle = shape === "pale" ? colours.edge :
      shape === "dotted"                   ? colours.ink :
      shape === "barred"                   ? colours.read :
                                             main;
    context.lineWidth = 1;
    context.strokeRect(0.5, 0.5, WIDTH - 1, HEIGHT - 1);
    return canvas;
  }
}

/** The line of an owner below a cell. */
function drawOwner(context, mark, x, y) {
  const [colour, dashes] = OWNER_MARKS[mark];
  context.fillStyle = colour;
  for (const [from, to] of dashes) context.fillRect(x + from, y, to - from, 2);
}

/** The canvas of a key's entry. */
function sample(draw) {
  const canvas = element("canvas", {
    width: WIDTH * 2,
    height: HEIGHT * 2,
    "aria-hidden": "true",
    style: `width:${WIDTH}px;height:${HEIGHT}px`,
  });
  return {
    canvas,
    redraw(pictures) {
      const context = canvas.getContext("2d");
      context.setTransform(2, 0, 0, 2, 0, 0);
      context.clearRect(0, 0, WIDTH, HEIGHT);
      draw(context, pictures);
    }
  };
}
