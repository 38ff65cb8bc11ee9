// swift-tools-version: 6.2
import PackageDescription

// A target in Sources is named with its storey here: "Bytes/JSON" is the target JSON in Sources/Bytes. The storeys from
// the bottom up are Libraries, Bytes, Model, Formats, System, Features, Command. A target may depend on targets of its
// own storey and of the storeys below it. LayeringTests compare the imports with the folders of Sources.

/// The settings of targets that other packages import: SwiftPM refuses unsafe flags there.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
]

/// The settings of all other Swift targets. The compiler does not check the LLVM code that it makes, so a build takes a
/// twentieth less time. Each function gets its own section, so that the linker can drop unused functions and order the
/// others (Scripts/package.sh).
let checked =
  strict
  + [
    .unsafeFlags(
      ["-Xfrontend", "-disable-llvm-verify", "-Xfrontend", "-function-sections"],
      .when(configuration: .release))
  ]

/// The last part of a path.
func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

/// A target with loops over bytes, names, functions or pages: fully optimized.
func target(_ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name(path), dependencies: dependencies, path: "Sources/\(path)", swiftSettings: checked)
}

/// The settings of small targets: LLVM optimizes them for size, and Swift's optimizer does nothing. They compile in two
/// fifths of the time, and have a fifth less code.
let small =
  checked
  + [
    .unsafeFlags(
      ["-Osize", "-Xfrontend", "-disable-sil-perf-optzns"], .when(configuration: .release))
  ]

/// A target that spends its time on files, processes and text. `Benchmarks/build-time` shows what a target costs to
/// compile, and `Benchmarks/speed.sh` what it costs to run.
func smallTarget(
  _ path: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil
) -> Target {
  .target(
    name: name(path), dependencies: dependencies, path: "Sources/\(path)", resources: resources,
    swiftSettings: small)
}

/// A target in C.
func cTarget(
  _ path: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  linking libraries: [LinkerSetting] = []
) -> Target {
  .target(
    name: name(path), dependencies: dependencies, path: "Sources/\(path)", exclude: exclude,
    linkerSettings: libraries)
}

/// The module of an installed library, in the package `apt` of Debian.
func library(_ path: String, apt: String) -> Target {
  .systemLibrary(name: name(path), path: "Sources/\(path)", providers: [.apt([apt])])
}

/// The settings of tests. Tests are never optimized. The compiler writes no separate module, because nobody imports it.
let testCode =
  checked
  + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

/// The tests of one target, named after it.
func tests(_ name: String, _ others: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + others,
    swiftSettings: testCode)
}

let package = Package(
  name: "orderfile",
  // The first macOS whose standard library has all that the sources use: `span` of arrays and strings.
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "orderfile", targets: ["orderfile"]),
    .library(name: "OrderFileRuntime", type: .static, targets: ["OrderFileRuntime", "Recorder"]),
    .library(name: "OrderFileTasks", type: .static, targets: ["OrderFileTasks", "Tasks"]),
    .library(name: "orderfile-pages", type: .dynamic, targets: ["PageTracer"]),
    .library(name: "orderfile-stages", type: .dynamic, targets: ["StageTracer"]),
    .library(name: "orderfile-qemu", type: .dynamic, targets: ["QEMUPlugin"]),
    .plugin(name: "OrderFilePlugin", targets: ["OrderFilePlugin"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // Declarations that the recorder and the tracers share with the command.
    .target(name: "CTraceFormat", path: "Runtime/TraceFormat"),
    .target(name: "CInProcess", path: "Runtime/InProcess"),
    .target(name: "CPageTrace", dependencies: ["CInProcess"], path: "Runtime/PageTrace"),
    .target(name: "CStageTrace", path: "Runtime/StageTrace"),

    cTarget("Libraries/CDwarf", linking: [.linkedLibrary("dwarf")]),
    cTarget("Libraries/CDemangle", linking: [.linkedLibrary("iberty", .when(platforms: [.linux]))]),
    // The C library of Linux or Darwin, under one name.
    target("Libraries/LibC"),
    library("Libraries/CZlib", apt: "zlib1g-dev"),
    library("Libraries/CZstd", apt: "libzstd-dev"),
    library("Libraries/CXXHash", apt: "libxxhash-dev"),
    library("Libraries/CExpat", apt: "libexpat1-dev"),

    // Bytes and numbers, no formats.
    target("Bytes/Addresses"),
    target("Bytes/ByteReading", ["Addresses", "LibC"]),
    target("Bytes/JSON", ["ByteReading", "Addresses"]),

    // Images, orders and estimates as values: no format, no file.
    target("Model/ImageModel", ["Addresses"]),
    target("Model/FunctionOrder", ["ImageModel", "Addresses"]),
    target("Model/FaultEstimate", ["ImageModel", "Addresses"]),
    target("Model/ChangePoints"),

    // A target for each format.
    target("Formats/Demangling", ["ImageModel", "ByteReading", "Addresses", "CDemangle", "LibC"]),
    target("Formats/ObjectFormat", ["ByteReading", "Addresses", "CZlib", "CZstd"]),
    target("Formats/DebugInfo", ["ByteReading", "Addresses", "CDwarf"]),
    target("Formats/LinkMapFormat", ["ImageModel", "ByteReading", "Addresses"]),
    target("Formats/OrderFileFormat", ["ImageModel", "ByteReading", "Addresses", "CXXHash"]),
    target("Formats/ClusterProfileFormat", ["ByteReading", "Addresses"]),
    target("Formats/ProfileFormat", ["ImageModel", "ByteReading", "Addresses"]),
    target("Formats/PagesFormat", ["ImageModel", "JSON", "ByteReading", "Addresses"]),
    target("Formats/TraceFormat", ["ByteReading", "Addresses", "CTraceFormat"]),
    target("Formats/XctraceFormat", ["ByteReading", "Addresses", "CExpat"]),
    target("Formats/LaunchLogFormat", ["JSON", "ByteReading", "Addresses"]),
    target("Formats/TemporalProfileFormat", ["ByteReading", "Addresses"]),
    target("Formats/PerfScriptFormat", ["ByteReading", "Addresses"]),
    // Machine code: instructions, and the contents of basic blocks.
    target(
      "Formats/InstructionDecoding", ["ObjectFormat", "ImageModel", "ByteReading", "Addresses"]),
    // Images of the model, from object files, debug files and link maps.
    target(
      "Formats/Symbolication",
      [
        "ObjectFormat", "DebugInfo", "LinkMapFormat", "OrderFileFormat", "TraceFormat",
        "ProfileFormat", "Demangling", "ImageModel", "ByteReading", "Addresses",
      ]),
    // The functions that the entries of an order file move, in images.
    target(
      "Formats/OrderFileMatching",
      [
        "Symbolication", "ObjectFormat", "OrderFileFormat", "Demangling", "ImageModel",
        "ByteReading", "Addresses",
      ]),
    // The functions that recorded launches use, in images; the functions that can be recorded.
    target(
      "Formats/TraceSymbolication",
      [
        "Symbolication", "ObjectFormat", "DebugInfo", "OrderFileFormat", "TraceFormat",
        "XctraceFormat", "ProfileFormat", "TemporalProfileFormat", "PerfScriptFormat", "Demangling",
        "ImageModel", "ByteReading", "Addresses",
      ]),

    // Launching, tracing and measuring programs. System-specific code is in C.
    cTarget("System/CProcess"),
    cTarget("System/CPtrace", ["CPageTrace"]),
    cTarget("System/CPages", ["CPageTrace", "CInProcess"]),
    cTarget("System/CPerf", ["CProcess"]),
    cTarget("System/CDevice"),
    cTarget("System/CLocalServer"),
    smallTarget("System/ProcessLaunch", ["CProcess", "LibC"]),
    smallTarget(
      "System/ProcessTracing",
      ["ProcessLaunch", "CPages", "CProcess", "CPtrace", "ImageModel", "Addresses", "LibC"]),
    target(
      "System/LaunchMeasurement",
      ["ProcessLaunch", "CPerf", "CDevice", "ImageModel", "Addresses", "LibC"]),

    cTarget("Features/CReportPage", exclude: ["Page"]),
    // Code that several documents need: tables, numbers, words, Markdown, SARIF, HTML.
    target(
      "Features/Rendering",
      [
        "LaunchMeasurement", "PagesFormat", "FaultEstimate", "ImageModel", "JSON", "ByteReading",
        "Addresses",
      ]),
    // Code that several commands need: files, the inputs of a command line, launches.
    smallTarget(
      "Features/CommandSupport",
      [
        "Rendering", "LaunchMeasurement", "ProcessTracing", "ProcessLaunch", "TraceSymbolication",
        "OrderFileMatching", "Symbolication", "InstructionDecoding", "LinkMapFormat",
        "OrderFileFormat", "TraceFormat", "ProfileFormat", "PagesFormat", "ImageModel", "JSON",
        "ByteReading", "Addresses", "LibC",
      ]),
    // `record`, `import`, and traces as text.
    smallTarget(
      "Features/Recording",
      [
        "CommandSupport", "Rendering", "LaunchMeasurement", "ProcessTracing", "ProcessLaunch",
        "TraceSymbolication", "OrderFileMatching", "Symbolication", "OrderFileFormat",
        "TraceFormat", "PagesFormat", "TemporalProfileFormat", "PerfScriptFormat", "ImageModel",
        "JSON", "ByteReading", "Addresses", "LibC",
      ]),
    // `gen`, `merge`, `verify`; splitting.
    smallTarget(
      "Features/Ordering",
      [
        "CommandSupport", "Rendering", "ProcessLaunch", "TraceSymbolication", "OrderFileMatching",
        "Symbolication", "InstructionDecoding", "ObjectFormat", "OrderFileFormat", "TraceFormat",
        "ProfileFormat", "PagesFormat", "ClusterProfileFormat", "FunctionOrder", "ImageModel",
        "JSON", "ByteReading", "Addresses", "LibC",
      ], resources: [.embedInCode("Prefetch/prefetch.c.in")]),
    // `measure` and `advise`.
    smallTarget(
      "Features/Measuring",
      [
        "Counting", "Ordering", "Recording", "CommandSupport", "Rendering", "LaunchMeasurement",
        "ProcessLaunch", "OrderFileMatching", "Symbolication", "ObjectFormat", "OrderFileFormat",
        "PagesFormat", "ImageModel", "JSON", "ByteReading", "Addresses", "LibC",
      ]),
    // `stages`.
    smallTarget(
      "Features/Stages",
      [
        "CommandSupport", "Rendering", "LaunchMeasurement", "ProcessLaunch", "TraceSymbolication",
        "Symbolication", "ObjectFormat", "TraceFormat", "PagesFormat", "XctraceFormat",
        "LaunchLogFormat", "ImageModel", "JSON", "ByteReading", "Addresses", "CStageTrace", "LibC",
      ]),
    // `pages`, `faults`, `refine`.
    smallTarget(
      "Features/Counting",
      [
        "Ordering", "Recording", "CommandSupport", "Rendering", "LaunchMeasurement",
        "ProcessTracing", "ProcessLaunch", "TraceSymbolication", "OrderFileMatching",
        "Symbolication", "ObjectFormat", "OrderFileFormat", "PagesFormat", "ClusterProfileFormat",
        "FunctionOrder", "ImageModel", "JSON", "ByteReading", "Addresses", "LibC",
      ]),
    // `diff` and its map; the owners of functions.
    target(
      "Features/Prediction",
      [
        "CommandSupport", "Rendering", "LaunchMeasurement", "TraceSymbolication",
        "OrderFileMatching", "Symbolication", "OrderFileFormat", "PagesFormat", "Demangling",
        "FaultEstimate", "ImageModel", "JSON", "ByteReading", "Addresses", "LibC",
      ]),
    // `audit`.
    smallTarget(
      "Features/Audit",
      [
        "Stages", "CommandSupport", "Rendering", "TraceSymbolication", "Symbolication",
        "ObjectFormat", "LinkMapFormat", "PagesFormat", "ImageModel", "JSON", "ByteReading",
        "Addresses",
      ]),
    // `auto`, `cargo`, `cc`, `doctor`, `flags`, `init`.
    smallTarget(
      "Features/Projects",
      [
        "Prediction", "Counting", "Measuring", "Ordering", "Recording", "CommandSupport",
        "Rendering", "LaunchMeasurement", "ProcessLaunch", "Symbolication", "ObjectFormat",
        "OrderFileFormat", "PagesFormat", "ClusterProfileFormat", "ImageModel", "JSON",
        "ByteReading", "Addresses", "LibC",
      ], resources: [.embedInCode("Init/CMake/orderfileConfig.cmake")]),
    // `check` and `history`.
    smallTarget(
      "Features/Budget",
      [
        "Projects", "Audit", "Prediction", "Counting", "Stages", "Measuring", "Ordering",
        "Recording", "CommandSupport", "Rendering", "LaunchMeasurement", "ProcessLaunch",
        "Symbolication", "PagesFormat", "Demangling", "ChangePoints", "ImageModel", "JSON",
        "ByteReading",
        "Addresses", "LibC",
      ]),
    // The documents that only `show` writes, and their texts.
    target(
      "Features/FileContents",
      [
        "Ordering", "CommandSupport", "Rendering", "TraceSymbolication", "TraceFormat",
        "PagesFormat",
        "ImageModel", "JSON", "ByteReading", "Addresses",
      ]),
    // `export`.
    target(
      "Features/Exports",
      [
        "Prediction", "Counting", "Stages", "Ordering", "CommandSupport", "Rendering",
        "ProcessLaunch", "TraceSymbolication", "ProfileFormat", "PagesFormat", "Demangling",
        "FaultEstimate", "ImageModel", "JSON", "ByteReading", "Addresses",
      ]),
    // `report` and `show`: the only target that knows all documents.
    target(
      "Features/Reports",
      [
        "FileContents", "Budget", "Projects", "Audit", "Prediction", "Counting", "Stages",
        "Measuring", "Ordering", "Recording", "CommandSupport", "Rendering", "LaunchMeasurement",
        "ProcessLaunch", "TraceSymbolication", "OrderFileMatching", "Symbolication",
        "LinkMapFormat", "OrderFileFormat", "ProfileFormat", "PagesFormat", "ClusterProfileFormat",
        "FaultEstimate", "ImageModel", "JSON", "ByteReading", "Addresses", "LibC", "CReportPage",
        "CLocalServer", "CZlib",
      ]),

    // The command line.
    smallTarget(
      "Command/OrderFileCommands",
      [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        "Reports", "Exports", "FileContents", "Budget", "Projects", "Audit", "Prediction",
        "Counting", "Stages", "Measuring", "Ordering", "Recording", "CommandSupport", "Rendering",
        "LaunchMeasurement", "ProcessLaunch", "OrderFileFormat", "PagesFormat", "Demangling",
        "FunctionOrder", "ChangePoints", "ImageModel", "CTraceFormat", "LibC",
      ]),
    .executableTarget(
      name: "orderfile", dependencies: ["OrderFileCommands"], path: "Sources/Command/orderfile",
      swiftSettings: small,
      linkerSettings: [
        // The path is where `make install` puts Swift's libraries, for machines without Swift. lld merges equal
        // functions, which makes the command a sixteenth smaller.
        .unsafeFlags(
          [
            "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../lib/orderfile/swift", "-use-ld=lld",
            "-Xlinker", "--icf=all",
          ],
          .when(platforms: [.linux]))
      ], plugins: ["SourceCommit"]),
    .plugin(name: "SourceCommit", capability: .buildTool(), path: "Scripts/SourceCommit"),
    // For other packages: it runs the command that is installed.
    .plugin(
      name: "OrderFilePlugin",
      capability: .command(
        intent: .custom(
          verb: "orderfile",
          description: "Order the package's programs for the given launches: orderfile auto")),
      path: "Scripts/OrderFilePlugin"),

    // The recorder: C, linked into the recorded program and never into the tool; and its Swift interface for apps.
    .target(
      name: "Recorder", dependencies: ["CTraceFormat", "CInProcess"], path: "Runtime/Recorder"),
    .target(
      name: "OrderFileRuntime", dependencies: ["Recorder"], path: "Runtime/OrderFileRuntime",
      swiftSettings: strict),

    // The C code that runs the start-up tasks of an app, and its Swift interface. It records marks if the recorder is
    // linked, too.
    .target(
      name: "Tasks", path: "Runtime/Tasks",
      cSettings: [.headerSearchPath("../Recorder/include")]),
    .target(
      name: "OrderFileTasks", dependencies: ["Tasks"], path: "Runtime/OrderFileTasks",
      swiftSettings: strict),

    // The library that `orderfile pages` loads into the program, in C, without Swift's runtime.
    .target(
      name: "PageTracer", dependencies: ["CPageTrace", "CInProcess"], path: "Runtime/PageTracer",
      cSettings: [
        // A program expects that a system call does not change its vector registers.
        .unsafeFlags(["-mgeneral-regs-only"])
      ],
      linkerSettings: [
        // Links neither Swift's runtime nor libc: only these files go into the program. --strip-debug, because the
        // valgrind of Debian 12 can't read the debug information of clang 21, and exits.
        .unsafeFlags(
          [
            "-enable-experimental-feature", "Embedded", "-Xclang-linker", "-nostdlib", "-Xlinker",
            "-z", "-Xlinker", "initfirst", "-Xlinker", "--strip-debug",
          ], .when(platforms: [.linux]))
      ]),

    // The library that glibc's loader loads beside a program for `orderfile stages`, in C, without Swift's runtime.
    .target(
      name: "StageTracer", dependencies: ["CStageTrace", "CInProcess"], path: "Runtime/StageTracer",
      linkerSettings: [
        .unsafeFlags(
          ["-enable-experimental-feature", "Embedded", "-Xclang-linker", "-nostdlib"],
          .when(platforms: [.linux]))
      ]),

    // The plugin that `orderfile record --qemu` gives to QEMU, in C. QEMU has the functions that the plugin calls.
    .target(
      name: "QEMUPlugin", dependencies: ["CTraceFormat", "CInProcess"], path: "Runtime/QEMUPlugin",
      linkerSettings: [
        .unsafeFlags(["-enable-experimental-feature", "Embedded"], .when(platforms: [.linux]))
      ]),

    // Tests
    .target(
      name: "TestSupport", dependencies: ["Addresses"], path: "Tests/TestSupport",
      swiftSettings: testCode),
    .target(
      name: "ModelSamples", dependencies: ["FaultEstimate", "ImageModel", "Addresses"],
      path: "Tests/ModelSamples", swiftSettings: testCode),
    // Runs the programs that tests start, and kills processes that they leave running.
    .executableTarget(name: "reaper", path: "Tests/Reaper"),
    .testTarget(
      name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: testCode,
      // All tests are one program. gold takes twice the time to link it.
      linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]),
    tests("Addresses"),
    tests("ByteReading", ["Addresses"]),
    tests("JSON", ["ByteReading", "Addresses"]),
    tests("ImageModel", ["ModelSamples", "Addresses"]),
    tests("ObjectFormat", ["ByteReading", "Addresses"]),
    tests("DebugInfo", ["ByteReading", "Addresses"]),
    tests("PagesFormat", ["ImageModel", "JSON", "ByteReading", "Addresses"]),
    tests("LinkMapFormat", ["Symbolication", "ImageModel", "ByteReading", "Addresses"]),
    tests("ClusterProfileFormat", ["ByteReading", "Addresses"]),
    tests("OrderFileFormat", ["ImageModel", "ByteReading", "Addresses"]),
    tests("ProfileFormat", ["ImageModel", "ByteReading", "Addresses"]),
    tests("Demangling", ["ImageModel"]),
    tests(
      "Symbolication",
      [
        "OrderFileMatching", "ObjectFormat", "DebugInfo", "LinkMapFormat", "OrderFileFormat",
        "TraceFormat", "ProfileFormat", "Demangling", "ModelSamples", "ImageModel", "ByteReading",
        "Addresses",
      ]),
    tests("InstructionDecoding", ["Addresses"]),
    tests(
      "OrderFileMatching",
      [
        "Symbolication", "ObjectFormat", "LinkMapFormat", "OrderFileFormat", "ModelSamples",
        "ImageModel", "ByteReading", "Addresses",
      ]),
    tests(
      "TraceSymbolication",
      [
        "Symbolication", "TraceFormat", "ProfileFormat", "TemporalProfileFormat",
        "PerfScriptFormat", "ModelSamples", "ImageModel", "ByteReading", "Addresses",
      ]),
    tests("TraceFormat", ["ByteReading", "Addresses", "CTraceFormat"]),
    tests("XctraceFormat", ["ByteReading", "Addresses"]),
    tests("LaunchLogFormat", ["ByteReading", "Addresses"]),
    tests("TemporalProfileFormat", ["ByteReading", "Addresses"]),
    tests("PerfScriptFormat", ["ByteReading", "Addresses"]),
    // The recorder is not a dependency of its tests: the tests build programs and link the recorder into them.
    .testTarget(
      name: "RecorderTests",
      dependencies: ["TraceFormat", "ByteReading", "Addresses", "TestSupport"],
      swiftSettings: testCode),
    tests("FunctionOrder", ["ModelSamples", "ImageModel", "Addresses"]),
    tests("ChangePoints"),
    tests("FaultEstimate", ["ModelSamples", "ImageModel", "Addresses"]),
    tests("ProcessLaunch"),
    tests("ProcessTracing", ["CPageTrace", "Addresses"]),
    tests("LaunchMeasurement", ["ImageModel", "Addresses"]),
    .testTarget(
      name: "FeaturesTests",
      dependencies: [
        "Reports", "Exports", "FileContents", "Budget", "Projects", "Audit", "Prediction",
        "Counting", "Stages", "Measuring", "Ordering", "Recording", "CommandSupport", "Rendering",
        "LaunchMeasurement", "ProcessTracing", "ProcessLaunch", "LinkMapFormat", "OrderFileFormat",
        "TraceFormat",
        "PagesFormat", "LaunchLogFormat", "FaultEstimate", "FunctionOrder", "ChangePoints",
        "ImageModel", "JSON", "ByteReading", "Addresses", "CZlib", "ModelSamples", "TestSupport",
      ],
      swiftSettings: testCode),
    tests(
      "OrderFileCommands",
      [
        .product(name: "ArgumentParser", package: "swift-argument-parser"), "Prediction",
        "ImageModel",
      ]),
    // The fuzz targets, and tests with inputs that once made a reader trap, hang or take gigabytes.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "OrderFileCommands", "Reports", "Exports", "Budget", "Counting", "Stages",
        "CommandSupport", "TraceSymbolication", "Symbolication", "ObjectFormat", "DebugInfo",
        "LinkMapFormat", "OrderFileFormat", "TraceFormat", "ProfileFormat", "PagesFormat",
        "XctraceFormat", "ClusterProfileFormat", "TemporalProfileFormat", "PerfScriptFormat",
        "LaunchLogFormat", "Demangling", "ChangePoints", "ImageModel", "ByteReading", "Addresses",
      ], path: "Fuzz/Targets", swiftSettings: checked),
    .testTarget(
      name: "FailCaseTests",
      dependencies: ["FuzzTargets", "OrderFileCommands", "TestSupport"],
      swiftSettings: testCode),
    // These tests run the command and link none of its code, so that they are compiled at the same time as the command.
    .testTarget(name: "EndToEndTests", dependencies: ["TestSupport"], swiftSettings: testCode),
    // Builds the C targets of the command and the page tracer with sanitizers.
    .testTarget(name: "CTargetTests", dependencies: ["TestSupport"], swiftSettings: testCode),
    // Tests of Tests/MachOEmulator, with which other tests run Mach-O images.
    .testTarget(
      name: "MachOEmulatorTests",
      dependencies: ["TraceFormat", "ByteReading", "Addresses", "TestSupport"],
      swiftSettings: testCode),
    // Tests of the project's rules: imports, forbidden words, links. They read the sources and link none of them.
    .testTarget(name: "LayeringTests", dependencies: ["TestSupport"], swiftSettings: testCode),
  ],
  cLanguageStandard: .c11
)

// The fuzzer, which `make fuzz` builds in a separate folder; a build of the package does not need libFuzzer.
if let libFuzzer = Context.environment["ORDERFILE_LIBFUZZER"] {
  package.targets += [
    .systemLibrary(name: "LibFuzzer", path: "Fuzz/LibFuzzer"),
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets", "LibFuzzer", "ByteReading"], path: "Fuzz/Driver",
      swiftSettings: checked, linkerSettings: [.unsafeFlags([libFuzzer, "-lstdc++"])]),
  ]
}
