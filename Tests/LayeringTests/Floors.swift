/// What each target may import, floor by floor: docs/DESIGN.md draws it. A target that is not here may
/// not exist.
let mayImport: [String: Set<String>] = [
  // F0: bytes and numbers, no format.
  "Addresses": [],
  "ByteReading": ["Addresses", "Glibc", "Darwin"],
  "JSON": ["ByteReading", "Addresses"],
  "CDwarf": [], "CZlib": [], "CZstd": [], "CExpat": [], "CDemangle": [],
  "CPtrace": [], "CProcess": [], "CPages": [], "CPerf": [],

  // F1: one format each, and the model beside them.
  "ImageModel": ["Addresses"],
  "Demangling": ["ImageModel", "ByteReading", "Addresses", "CDemangle", "Glibc", "Darwin"],
  "ObjectFormat": ["ByteReading", "Addresses", "CZlib", "CZstd"],
  "DebugInfo": ["ByteReading", "Addresses", "CDwarf"],
  "LinkMapFormat": ["ImageModel", "ByteReading", "Addresses"],
  "OrderFileFormat": ["ImageModel", "ByteReading", "Addresses"],
  "PagesFormat": ["ImageModel", "JSON", "ByteReading", "Addresses"],
  "TraceFormat": ["ByteReading", "Addresses", "CTraceFormat"],
  "XctraceFormat": ["ByteReading", "Addresses", "CExpat"],

  // F2: the only bridge between formats and model.
  "Symbolication": [
    "ObjectFormat", "DebugInfo", "LinkMapFormat", "OrderFileFormat", "TraceFormat",
    "XctraceFormat", "Demangling", "ImageModel", "ByteReading", "Addresses", "Glibc", "Darwin",
  ],

  // F3: over the model alone, and never over each other.
  "FunctionOrder": ["ImageModel", "Addresses"],
  "FaultEstimate": ["ImageModel", "Addresses"],
  "ProcessLaunch": ["CProcess", "Glibc", "Darwin"],
  "ProcessTracing": [
    "ProcessLaunch", "CPages", "CProcess", "CPtrace", "ImageModel", "Addresses", "Glibc", "Darwin",
  ],
  "LaunchMeasurement": [
    "ProcessLaunch", "CPerf", "ImageModel", "Addresses", "Glibc", "Darwin",
  ],

  // F4: results as text and JSON.
  "Reporting": [
    "FunctionOrder", "FaultEstimate", "LaunchMeasurement", "PagesFormat", "ImageModel", "JSON",
    "ByteReading", "Addresses",
  ],

  // F5: what a command does, without the command.
  "Workflows": [
    "Reporting", "FunctionOrder", "FaultEstimate", "LaunchMeasurement", "ProcessTracing",
    "ProcessLaunch", "Symbolication", "LinkMapFormat", "OrderFileFormat", "TraceFormat",
    "PagesFormat", "Demangling", "ImageModel", "ByteReading", "Addresses", "Glibc", "Darwin",
  ],

  // F6, F7: the command.
  "OrderFileCommands": [
    "ArgumentParser", "Glibc", "Darwin", "Workflows", "Reporting", "LaunchMeasurement",
    "ProcessLaunch", "OrderFileFormat", "PagesFormat", "Demangling", "ImageModel", "Addresses",
    "CTraceFormat",
  ],
  "orderfile": ["OrderFileCommands"],
]

/// What is linked into programs under test, in folders of Runtime. No target of the tool may import it.
let runtimeMayImport: [String: Set<String>] = ["OrderFileRuntime": ["Recorder"]]

/// The folders of Sources by floor, for messages and for rules that hold below one.
let floors: [[String]] = [
  [
    "Addresses", "ByteReading", "JSON", "CDwarf", "CZlib", "CZstd", "CExpat", "CDemangle",
    "CPtrace",
    "CProcess", "CPages", "CPerf",
  ],
  [
    "ImageModel", "Demangling", "ObjectFormat", "DebugInfo", "LinkMapFormat", "OrderFileFormat",
    "TraceFormat",
    "XctraceFormat", "PagesFormat",
  ],
  ["Symbolication"],
  ["FunctionOrder", "FaultEstimate", "ProcessLaunch", "ProcessTracing", "LaunchMeasurement"],
  ["Reporting"],
  ["Workflows"],
  ["OrderFileCommands"],
  ["orderfile"],
]

/// - Returns: `nil` for a target that stands on no floor.
func floor(of target: String) -> Int? { floors.firstIndex { $0.contains(target) } }
