/// The targets that each target may import, layer by layer, as docs/DESIGN.md shows them. Every target must be
/// listed.
let mayImport: [String: Set<String>] = [
  // L0: bytes and numbers, no formats.
  "Addresses": [],
  "ByteReading": ["Addresses", "Glibc", "Darwin"],
  "JSON": ["ByteReading", "Addresses"],
  "CDwarf": [], "CZlib": [], "CZstd": [], "CXXHash": [], "CExpat": [], "CDemangle": [],
  "CPtrace": [], "CProcess": [], "CPages": [], "CPerf": [], "CReportPage": [],

  // L1: one format each; and the model, which knows no format.
  "ImageModel": ["Addresses"],
  "Demangling": ["ImageModel", "ByteReading", "Addresses", "CDemangle", "Glibc", "Darwin"],
  "ObjectFormat": ["ByteReading", "Addresses", "CZlib", "CZstd"],
  "DebugInfo": ["ByteReading", "Addresses", "CDwarf"],
  "LinkMapFormat": ["ImageModel", "ByteReading", "Addresses"],
  "OrderFileFormat": ["ImageModel", "ByteReading", "Addresses", "CXXHash"],
  "ClusterProfileFormat": ["ByteReading", "Addresses"],
  "ProfileFormat": ["ImageModel", "ByteReading", "Addresses"],
  "PagesFormat": ["ImageModel", "JSON", "ByteReading", "Addresses"],
  "TraceFormat": ["ByteReading", "Addresses", "CTraceFormat"],
  "XctraceFormat": ["ByteReading", "Addresses", "CExpat"],
  "LaunchLogFormat": ["JSON", "ByteReading", "Addresses"],
  "TemporalProfileFormat": ["ByteReading", "Addresses"],
  "PerfScriptFormat": ["ByteReading", "Addresses"],

  // L2: the only target that knows formats and model.
  "Symbolication": [
    "ObjectFormat", "DebugInfo", "LinkMapFormat", "OrderFileFormat", "TraceFormat",
    "XctraceFormat", "ProfileFormat", "TemporalProfileFormat", "PerfScriptFormat", "Demangling",
    "ImageModel",
    "ByteReading", "Addresses", "Glibc", "Darwin",
  ],

  // L3: algorithms on the model alone; they do not import each other.
  "FunctionOrder": ["ImageModel", "Addresses"],
  "FaultEstimate": ["ImageModel", "Addresses"],
  "ChangePoints": ["Glibc", "Darwin"],
  "ProcessLaunch": ["CProcess", "Glibc", "Darwin"],
  "ProcessTracing": [
    "ProcessLaunch", "CPages", "CProcess", "CPtrace", "ImageModel", "Addresses", "Glibc", "Darwin",
  ],
  "LaunchMeasurement": [
    "ProcessLaunch", "CPerf", "ImageModel", "Addresses", "Glibc", "Darwin",
  ],

  // L4: results as text and JSON.
  "Reporting": [
    "FunctionOrder", "FaultEstimate", "LaunchMeasurement", "PagesFormat", "ImageModel", "JSON",
    "ByteReading", "Addresses", "CReportPage", "CZlib",
  ],

  "History": [
    "Reporting", "ChangePoints", "LaunchMeasurement", "PagesFormat", "ImageModel", "JSON",
    "ByteReading", "Addresses",
  ],

  "LaunchBudget": [
    "History", "Reporting", "LaunchMeasurement", "PagesFormat", "Demangling", "ImageModel", "JSON",
    "ByteReading", "Addresses",
  ],

  // L5: what each command does, without its command line.
  "Workflows": [
    "LaunchBudget", "History", "Reporting", "FunctionOrder", "FaultEstimate", "LaunchMeasurement",
    "ProcessTracing",
    "ProcessLaunch", "Symbolication", "ObjectFormat", "LinkMapFormat", "OrderFileFormat",
    "TraceFormat",
    "ClusterProfileFormat", "ProfileFormat", "TemporalProfileFormat", "PerfScriptFormat",
    "PagesFormat",
    "Demangling",
    "ImageModel", "JSON", "ByteReading", "Addresses", "Dispatch", "Synchronization", "Glibc",
    "Darwin",
  ],
  "ImageAudit": [
    "Workflows", "Reporting", "Symbolication", "ObjectFormat", "LinkMapFormat", "ImageModel",
    "ByteReading", "Addresses",
  ],
  "LinkAdvice": [
    "Workflows", "Reporting", "ProcessLaunch", "Symbolication", "ObjectFormat", "PagesFormat",
    "ImageModel", "ByteReading", "Addresses",
  ],

  "LaunchStages": [
    "Workflows", "Reporting", "LaunchMeasurement", "ProcessLaunch", "Symbolication",
    "ObjectFormat", "LaunchLogFormat", "XctraceFormat", "TraceFormat", "ImageModel", "ByteReading",
    "Addresses", "CStageTrace", "Glibc", "Darwin",
  ],

  // L6, L7: the command line.
  "OrderFileCommands": [
    "ArgumentParser", "Glibc", "Darwin", "ImageAudit", "LinkAdvice", "LaunchStages", "Workflows",
    "LaunchBudget",
    "History",
    "ChangePoints", "Reporting", "FunctionOrder", "LaunchMeasurement", "ProcessLaunch",
    "OrderFileFormat", "PagesFormat",
    "Demangling", "ImageModel", "Addresses", "CTraceFormat", "Synchronization",
  ],
  "orderfile": ["OrderFileCommands"],
]

/// What is linked into recorded programs, in folders of Runtime. No target of the tool may import it.
let runtimeMayImport: [String: Set<String>] = ["OrderFileRuntime": ["Recorder"]]

/// The folders of Sources by layer, for messages and for rules about the lower layers.
let layers: [[String]] = [
  [
    "Addresses", "ByteReading", "JSON", "CDwarf", "CZlib", "CZstd", "CXXHash",
    "CExpat", "CDemangle",
    "CPtrace",
    "CProcess", "CPages", "CPerf", "CReportPage",
  ],
  [
    "ImageModel", "Demangling", "ObjectFormat", "DebugInfo", "LinkMapFormat", "OrderFileFormat",
    "TraceFormat", "ClusterProfileFormat", "XctraceFormat", "LaunchLogFormat",
    "PagesFormat", "ProfileFormat", "TemporalProfileFormat", "PerfScriptFormat",
  ],
  ["Symbolication"],
  [
    "FunctionOrder", "FaultEstimate", "ChangePoints", "ProcessLaunch", "ProcessTracing",
    "LaunchMeasurement",
  ],
  ["Reporting", "History", "LaunchBudget"],
  ["Workflows", "ImageAudit", "LinkAdvice", "LaunchStages"],
  ["OrderFileCommands"],
  ["orderfile"],
]

/// - Returns: `nil` for a target that is in no layer.
func layer(of target: String) -> Int? { layers.firstIndex { $0.contains(target) } }
