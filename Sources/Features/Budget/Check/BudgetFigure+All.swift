// All figures of a budget. The figures of `CommittedDocument` have the same names here. Figures that neither repeat
// exactly nor have an interval are left out: faults and `peakMemory` of `measure`. The median of resident memory in 20
// launches repeats to about a percent.

extension BudgetFigure {
  package static let all: [BudgetFigure] =
    audit + auto + diff + faults + gen + measure + pages + stages + tasks + verify

  private static let orderAgain =
    "order again: record the launch, run 'orderfile gen', link with the new order file"
  private static let measureAgain =
    "see 'orderfile diff' for the functions of each page, and \(orderAgain)"

  private static let memoryRemedy =
    "see 'orderfile measure --memory' for the parts of the image, and \(orderAgain)"

  private static let audit = [
    BudgetFigure(
      .audit, "embeddedLibraries", .libraries, .lower,
      "Libraries that come with the program. The loader opens, maps and relocates each library.",
      "link them statically, or load them when they are needed"),
    BudgetFigure(
      .audit, "findings", .findings, .lower, slack: Slack.none,
      "Findings of 'orderfile audit' about the build of the image, such as missing function sections.",
      "see 'orderfile audit' for each finding and its remedy"),
    BudgetFigure(
      .audit, "initializers", .functions, .lower, slack: Slack.none,
      "Functions of the program and its libraries that run before main.",
      "make globals constant, or compute them at their first use"),
    BudgetFigure(
      .audit, "libraries", .libraries, .lower, slack: Slack.none,
      "All libraries that the loader opens before main.",
      "see 'orderfile audit' for the image that needs each library"),
    BudgetFigure(
      .audit, "relocations", .words, .lower,
      "Words that the loader writes into the program and its libraries before main. Each page with such a word is copied.",
      "link with -z pack-relative-relocs or -fixup_chains, or have fewer tables of pointers"),
  ]

  private static let auto = [
    BudgetFigure(
      .auto, "inOrder", .ratio, .higher, slack: .share,
      "The share of the order file's functions that are in the longest run in the requested order.",
      "see 'orderfile diff --order' for the first function out of place"),
    BudgetFigure(
      .auto, "predictedPages", .pages, .lower, slack: .pages,
      "Pages of code that the startup functions lie on, in the new order; predicted.", orderAgain),
    BudgetFigure(
      .auto, "stale", .ratio, .lower, slack: .share,
      "The share of the order file's entries that the image does not have.", orderAgain),
    BudgetFigure(
      .auto, "startupFunctions", .functions, .none, "Functions that the launches ran.",
      "see 'orderfile show' of a trace for each function"),
    BudgetFigure(
      .auto, "textPages", .pages, .lower, slack: .pages,
      "Pages of code that the launches executed, in the new order; measured.", measureAgain),
  ]

  private static let diff = [
    BudgetFigure(
      .diff, "covered", .ratio, .higher, slack: .share,
      "The share of the startup functions that the order file lists and the linker placed in order.",
      orderAgain),
    BudgetFigure(
      .diff, "coveredBytes", .ratio, .higher,
      "The share of the bytes of the startup functions that the order file lists and the linker placed in order.",
      orderAgain),
    BudgetFigure(
      .diff, "drifted", .functions, .lower, slack: Slack.none,
      "Startup functions whose basic blocks in this image differ from the recorded build.",
      "compile both builds with -fbasic-block-address-map, and record again with 'orderfile record --breakpoints --blocks'"
    ),
    BudgetFigure(
      .diff, "floorPages", .pages, .lower,
      "The fewest pages that the startup functions could lie on.",
      "run less code at launch"),
    BudgetFigure(
      .diff, "inOrder", .ratio, .higher, slack: .share,
      "The share of the order file's functions that are in the longest run in the requested order.",
      "see the warnings of 'orderfile diff --order', which name the first function out of place"),
    BudgetFigure(
      .diff, "predictedPages", .pages, .lower, slack: .pages,
      "Pages of code that the startup functions lie on; predicted.", orderAgain),
    BudgetFigure(
      .diff, "predictedPagesAtMost", .pages, .lower,
      "Pages of code that the startup functions lie on, if functions that the layout lacks lie on pages of their own; predicted.",
      "record again: the trace is from an older build"),
    BudgetFigure(
      .diff, "predictedWindows64k", .windows, .lower,
      "Aligned windows of 64 KiB with startup functions: Linux maps a window around a page fault; predicted.",
      orderAgain),
    BudgetFigure(
      .diff, "present", .ratio, .higher, slack: .share,
      "The share of the recorded startup functions that the image has.",
      "record again: the trace is from an older build"),
    BudgetFigure(
      .diff, "recordable", .ratio, .higher, slack: .share,
      "The share of the recorded image's code that could be recorded. Traces never have functions of the other code.",
      "compile all code with callbacks, or use 'orderfile record --breakpoints'"),
    BudgetFigure(
      .diff, "stale", .ratio, .lower, slack: .share,
      "The share of the order file's entries that the image does not have.", orderAgain),
    BudgetFigure(
      .diff, "startupBytes", .bytes, .lower, slack: .bytes,
      "The bytes of the startup functions; if basic blocks were recorded, the bytes of the blocks that ran.",
      "run less code at launch"),
    BudgetFigure(
      .diff, "startupFunctions", .functions, .none, "Functions that the launch ran.",
      "see 'orderfile show' of a trace for each function"),
    BudgetFigure(
      .diff, "unprefetched", .ratio, .lower, slack: .share,
      "The share of the startup functions that the image does not prefetch, if it prefetches anything.",
      "write the order file and the source file of 'gen --prefetch' again, from a recording of this launch"
    ),
  ]

  private static let faults = [
    BudgetFigure(
      .faults, "prefetchedFaults", .faults, .lower, slack: Slack.none,
      "Major faults of a cold launch on pages that the images prefetch; measured.",
      "see 'orderfile faults --list' for the instruction of each fault: code that runs before the image prefetches waits"
    ),
    BudgetFigure(
      .faults, "readBytes", .bytes, .lower, slack: .bytes,
      "The bytes that one cold launch read from the device of --device; measured.",
      measureAgain),
    BudgetFigure(
      .faults, "requests", .requests, .lower, slack: .pages,
      "The requests of one cold launch to the device of --device; measured.", measureAgain),
  ]

  private static let gen = [
    BudgetFigure(
      .gen, "entries", .entries, .none, "Lines of the order file that name a function.",
      "see 'orderfile show' of the order file"),
    BudgetFigure(
      .gen, "recordedFunctions", .functions, .none, "Functions that the traces have.",
      "see 'orderfile show' of a trace for each function"),
    BudgetFigure(
      .gen, "resolved", .ratio, .higher, slack: .share,
      "The share of the recorded functions that the order file names.",
      "record again: the trace is from an older build"),
    BudgetFigure(
      .gen, "startupBytes", .bytes, .lower, "The bytes of the ordered functions.",
      "run less code at launch"),
    BudgetFigure(
      .gen, "textBytes", .bytes, .none, "The bytes of all code.",
      "see 'orderfile show' of the image for each function"),
    BudgetFigure(
      .gen, "untracedInitializers", .functions, .lower, slack: Slack.none,
      "Functions that run before main, but that no trace recorded: 'gen' can't tell their order.",
      "record from the program's start: link the recorder into the program, or use 'orderfile record --breakpoints'"
    ),
  ]

  private static let measure = [
    BudgetFigure(
      .measure, "cpuTime", .seconds, .lower, slack: .time,
      "The processor time of a launch, compared with a launch of the base in the same job.",
      "see 'orderfile audit' and 'orderfile show' for what a launch runs"),
    BudgetFigure(
      .measure, "imagePSS", .bytes, .lower, slack: .bytes,
      "Resident memory of the image, each page divided by its users; a median.", memoryRemedy),
    BudgetFigure(
      .measure, "imageRSS", .bytes, .lower, slack: .bytes,
      "Resident memory of the image: code, constants and data; a median.", memoryRemedy),
    BudgetFigure(
      .measure, "instructions", .instructions, .lower, slack: .time,
      "The instructions of a launch, compared with a launch of the base in the same job.",
      "see 'orderfile show' of a trace for what a launch runs"),
    BudgetFigure(
      .measure, "peakRSS", .bytes, .lower, slack: .bytes,
      "The largest resident memory of the process; a median.", memoryRemedy),
    BudgetFigure(
      .measure, "pss", .bytes, .lower, slack: .bytes,
      "Resident memory of the process, each page divided by its users; a median.", memoryRemedy),
    BudgetFigure(
      .measure, "readBytes", .bytes, .lower, slack: .bytes,
      "The bytes that a launch read from the device of --device; measured.", measureAgain),
    BudgetFigure(
      .measure, "requests", .requests, .lower, slack: .pages,
      "The requests of a launch to the device of --device; measured.", measureAgain),
    BudgetFigure(
      .measure, "rss", .bytes, .lower, slack: .bytes,
      "Resident memory of the process; a median.", memoryRemedy),
    BudgetFigure(
      .measure, "wallTime", .seconds, .lower, slack: .time,
      "The time of a launch, compared with a launch of the base in the same job.",
      "see 'orderfile audit' and 'orderfile show' for what a launch runs"),
  ]

  private static let pages = [
    BudgetFigure(
      .pages, "dataPages", .pages, .lower, slack: .pages,
      "Pages of data that the launch touched; measured.",
      "have fewer writable globals and relocations"),
    BudgetFigure(
      .pages, "readOnlyPages", .pages, .lower, slack: .pages,
      "Pages of constants and tables that the launch touched; measured.",
      "see 'orderfile pages --list' for the function that touched each page first"),
    BudgetFigure(
      .pages, "readTextPages", .pages, .lower,
      "Pages of the code segment that the launch only read; measured.",
      "see 'orderfile pages --list' for the function that read each page first"),
    BudgetFigure(
      .pages, "textPages", .pages, .lower, slack: .pages,
      "Pages of code that the launch executed; measured.", measureAgain),
    BudgetFigure(
      .pages, "unprefetched", .pages, .lower, slack: .pages,
      "Pages of 4 KiB that the launch touched and that the image does not prefetch, if it prefetches anything; measured.",
      "write the order file and the source file of 'gen --prefetch' again, from a recording of this launch"
    ),
  ]

  private static let tasksRemedy =
    "postpone tasks: register them for a later stage, as docs/how-to/TASKS.md shows"

  private static let stages = [
    BudgetFigure(
      .stages, "elapsedMilliseconds", .milliseconds, .lower, stages: .required,
      "The median time from the start of the process to an event or mark; measured.",
      "see 'orderfile stages' for the time of each stage before it"),
    BudgetFigure(
      .stages, "milliseconds", .milliseconds, .lower, stages: .optional,
      "The median time of the launch, of a stage, or of one task; measured.",
      "see 'orderfile stages' for the time of each stage, and postpone work that the first screen does not need"
    ),
  ]

  private static let tasks = [
    BudgetFigure(
      .tasks, "count", .tasks, .lower, stages: .optional, slack: Slack.none,
      "Start-up tasks of the image and its libraries that run, of all stages or of one stage.",
      tasksRemedy),
    BudgetFigure(
      .tasks, "milliseconds", .milliseconds, .lower, stages: .optional,
      "The median time of the start-up tasks of all stages or of one stage in a launch; measured.",
      tasksRemedy),
  ]

  private static let verify = [
    BudgetFigure(
      .verify, "stale", .ratio, .lower, slack: .share,
      "The share of the order file's entries that the linker of the build could not follow.",
      orderAgain),
    BudgetFigure(
      .verify, "unprefetched", .ratio, .lower, slack: .share,
      "The share that the image does not prefetch: of the functions between the anchors of the order file, or of the pages of a launch (--pages).",
      "link the source file of 'gen --prefetch' into the image, with the order file"),
  ]
}
