// The stages of typical launches: what the system, the loader, the initializers and the program take, one after the
// other. A short stage has only its number; the list below the picture has its name.

const STAGE_ZOOMS = [["1", "the whole launch"], ["4", "a quarter"], ["16", "a sixteenth"]];
const STAGE_KINDS = {
  stage: "the system, the loader or the program",
  event: "up to an event that the program names",
  initializers: "initializers of an image",
  tracing: "only the measurement",
  other: "no other stage",
};

const stageMilliseconds = (nanoseconds) => (nanoseconds / 1e6).toFixed(nanoseconds < 1e7 ? 3 : 1);
const stageZoom = (state) => STAGE_ZOOMS.find(([zoom]) => zoom === state.stages) ?? STAGE_ZOOMS[0];

function stagesView(report, state) {
  if (!report.stages.length) return null;
  const kinds = Object.entries(STAGE_KINDS).filter(([kind]) => report.stages.some((launch) => launch.rows.some((row) => row.kind === kind)));
  const tools = element(
    "div", { class: "tools" },
    choice("The width shows", "stages", STAGE_ZOOMS, stageZoom(state)[0], (stages) => state.set({ stages })));
  state.listen((_, before) => {
    if (state.stages !== before.stages) showChoice(tools, "stages", stageZoom(state)[0]);
  });
  return view(
    "stages", "Stages",
    element(
      "ul", { class: "key", "aria-label": "Key to the stages" },
      kinds.map(([kind, words]) => element(
        "li", {},
        drawing("svg", { class: "chart", width: 18, height: 14, "aria-hidden": "true" }, drawing("rect", { class: `stage ${kind}`, x: 1, y: 1, width: 16, height: 12 })),
        words))),
    tools, report.stages.map((launch, index) => stageRow(launch, index, state)));
}

/** The stages of a typical launch, one after the other, as wide as they take. */
function stageRow(launch, index, state) {
  const stages = launch.rows.filter((row) => row.kind !== "part" && row.kind !== "task");
  const total = largest([launch.nanoseconds, ...stages.map((row) => row.elapsed)], 1);
  const place = element("div", { class: "scroll zoomed", tabindex: 0, role: "region", "aria-label": `Stages ${index + 1}` });
  const redraw = drawnToWidth(place, (shown) => {
    const width = shown * Number(stageZoom(state)[0]);
    const x = (time) => (time / total) * (width - 1);
    place.replaceChildren(drawing(
      "svg", {
        class: "chart",
        width,
        height: 58,
        viewBox: `0 0 ${width} 58`,
        role: "img",
        "aria-label": `Stages: ${stages.map((row) => `${visible(row.name)} ${stageMilliseconds(row.nanoseconds)} ms`).join(", ")}`
      },
      stages.map((row, place) => {
        const [from, to] = [x(Math.max(0, row.elapsed - row.nanoseconds)), x(row.elapsed)];
        const letters = Math.floor((to - from - 8) / LETTER);
        const full = `${place + 1} ${visible(row.name)}`;
        const text = letters >= 6 ? shortened(full, letters) : letters >= 2 ? String(place + 1) : "";
        return [
          drawing("rect", {
            class: `stage ${row.kind}${place % 2 ? " odd" : ""}`,
            x: from.toFixed(1),
            y: 2,
            width: Math.max(1, to - from).toFixed(1),
            height: 30
          }, drawing("title", {}, `${full}: ${stageMilliseconds(row.nanoseconds)} ms`)),
          text && drawing("text", { class: "label", x: from + 4, y: 21 }, text)
        ];
      }),
      ticks(total / 1e6, width > 600 ? Math.round(8 * width / shown) : 4)
        .map((value) => drawing("text", { x: x(value * 1e6), y: 50, "text-anchor": value ? "middle" : "start" }, number(value)))));
  });
  state.listen((_, before) => {
    if (state.stages !== before.stages) redraw();
  });
  const numbers = new Map(stages.map((row, place) => [row, place + 1]));
  return element(
    "div", {}, element("h3", {}, launch.origins[0] ? code(launch.origins[0]) : `Launch ${index + 1}`),
    note(
      `${stageMilliseconds(launch.nanoseconds)} ms, the typical one of ${counted(launch.launches, "launch", "launches")}`,
      launch.source === "measured" ? "; measured, in milliseconds." : "; in milliseconds."),
    place,
    table(
      `stages of ${launch.origins[0] ? visible(launch.origins[0]) : `launch ${index + 1}`}`,
      [
        column("#", (row) => String(numbers.get(row) ?? ""), { kind: "number" }),
        column("stage", (row) => (row.kind === "part" || row.kind === "task" ? `of it: ${row.name}` : row.name), { kind: "name" }),
        column("kind", (row) => STAGE_KINDS[row.kind] ?? (row.kind === "task" ? "a start-up task" : "a part of the stage before")),
        column("ms", (row) => stageMilliseconds(row.nanoseconds), { kind: "number" }),
        column("until ms", (row) => stageMilliseconds(row.elapsed), { kind: "number" })
      ],
      launch.rows));
}
