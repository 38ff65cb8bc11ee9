import Foundation
import Testing

/// A word that only some files may contain.
private struct Rule: Sendable, CustomTestStringConvertible {
  let sentence: String
  /// The regular expression that finds the word.
  let pattern: String
  /// Paths below Sources: a file, or a folder with everything in it. An entry that no file needs fails.
  let exceptions: [String]
  /// A line that breaks the rule.
  let example: String

  var testDescription: String { sentence }

  init(_ sentence: String, _ pattern: String, except exceptions: [String], example: String) {
    self.sentence = sentence
    self.pattern = pattern
    self.exceptions = exceptions
    self.example = example
  }
}

private let rules = [
  Rule(
    "only FileBytes and the wrappers of C functions touch raw memory",
    // This does not match RawSpan's unsafeLoadUnaligned, which checks its bounds.
    #"Unsafe|unsafe(BitCast|ly|Argv|Address|DownCast)"#,
    except: [
      "Bytes/ByteReading/FileBytes.swift", "Bytes/ByteReading/LargePages.swift",
      "Formats/DebugInfo/DebugFunctions.swift",
      "Formats/Demangling/RuntimeDemanglers.swift", "System/ProcessLaunch/ProgramWords.swift",
      "System/ProcessTracing/Processes/ProcessMemory.swift",
      "Formats/XctraceFormat/XMLReader.swift", "Features/CommandSupport/Files/WriteAll.swift",
      "Features/CommandSupport/Files/Folder.swift",
    ],
    example: "bytes.withUnsafeBytes { $0.count }"),
  Rule(
    "only the commands write to stdout or stderr",
    // Only at the start of a statement: a type may have a `print` of its own, which throws.
    #"(^|[({;:])\s*(print|debugPrint|puts|fputs|printf)\(|\bstd(out|err)\b|FileHandle|STD(OUT|ERR)_FILENO|\bwrite\((descriptor|\d)"#,
    // The caller gives WriteAll the descriptor.
    except: ["Command/OrderFileCommands/", "Features/CommandSupport/Files/WriteAll.swift"],
    example: "print(1)"),
  Rule(
    "only the commands read the environment or end the process",
    #"\bgetenv\(|\bsetenv\(|ProcessInfo|(^|[^\w.])_?exit\(|\babort\("#,
    except: ["Command/OrderFileCommands/"], example: "exit(1)"),
  Rule(
    "only what looks at the system imports its modules",
    #"^\s*(@\w+ )*(\w+ )?import (LibC|Glibc|Darwin|Foundation|Dispatch|Synchronization)\b"#,
    except: [
      "Bytes/ByteReading/", "Formats/Demangling/", "Model/ChangePoints/",
      "Libraries/LibC/", "System/",
      "Features/", "Command/OrderFileCommands/",
    ], example: "import Foundation"),
  Rule(
    "documents write themselves, by JSONDocument alone",
    #"\b(Codable|Encodable|Decodable)\b"#, except: [], example: "struct A: Codable {}"),
  Rule(
    "only documents write JSON", #"\b(JSONEncoder|JSONSerialization|JSONWriter)\b"#,
    except: [
      "Bytes/JSON/", "Features/", "Formats/PagesFormat/",
    ],
    example: "var json = JSONWriter(nil)"),
  Rule(
    "input never traps",
    #"\btry!|\bas!|\bfatalError\("#,
    except: [],
    example: "let a = try! read()"),
  Rule(
    "only FileBytes, the files of workflows and what looks at processes open a file by its path",
    #"(^|[({;:=])\s*(open|fopen|openat|opendir)\(|\bFileManager\b|contentsOf:\s*URL"#,
    except: [
      "Bytes/ByteReading/FileBytes.swift", "Bytes/ByteReading/FileBytes+Opening.swift",
      "System/ProcessLaunch/SystemFile.swift",
      "System/ProcessTracing/Processes/ProcessMemory.swift", "Features/CommandSupport/Files/",
      "Features/Projects/Auto/TreeCopy.swift", "Features/Projects/Compilers/LinkLog.swift",
      "Features/Projects/Compilers/OptionFile.swift",
      "Features/CommandSupport/Launch/KeptInput.swift",
      "Features/Counting/Pages/PageTracerLibrary.swift",
      "Features/Recording/Record/GrowingTraceFile.swift",
    ], example: "open(path, O_RDONLY)"),
  Rule(
    "an address, an offset and a range of them is none of bare numbers",
    #"Range<UInt64>|\b\w*([aA]ddress|[oO]ffset)\w*: \[?UInt64"#,
    // Offsets in a Mach-O file and in a function are not offsets in the file that was read; registers are those of C.
    except: [
      "Formats/ObjectFormat/MachO/", "Model/ImageModel/FunctionBlock.swift",
      "System/ProcessTracing/Processes/ThreadRegisters.swift",
    ], example: "func page(holding address: UInt64) -> Int"),
]

/// Returns the lines of `file` that contain a schema, apart from comments.
private func schemaLines(of file: SourceFile) -> [(schema: String, place: String, text: String)] {
  let schema = /orderfile\.[a-z0-9]+\/[0-9]+/
  return file.lines.enumerated().flatMap { index, line in
    let text = line.trimmingCharacters(in: .whitespaces)
    guard !text.hasPrefix("//") else { return [(schema: String, place: String, text: String)]() }
    return text.matches(of: schema).map {
      (schema: String($0.0), place: "\(file.path):\(index + 1)", text: text)
    }
  }
}

@Suite struct InvariantTests {
  @Test(arguments: rules) private func holdsEverywhere(_ rule: Rule) throws {
    var needless = Set(rule.exceptions)
    let pattern = try expression(rule.pattern)
    for file in try sourceFiles("Sources", ["swift"]) {
      let places = file.places(of: pattern)
      guard !places.isEmpty else { continue }
      let path = file.path.dropFirst("Sources/".count)
      if let exception = rule.exceptions.first(where: path.hasPrefix) {
        needless.remove(exception)
      } else {
        Issue.record("\(rule.sentence):\n\(places.joined(separator: "\n"))")
      }
    }
    #expect(needless.isEmpty, "these no longer need an exception")
  }

  @Test(arguments: rules) private func isBrokenByItsExample(_ rule: Rule) throws {
    let pattern = try expression(rule.pattern)
    func places(in text: String) -> [String] {
      SourceFile(path: "Sources/A/B.swift", text: text).places(of: pattern)
    }
    #expect(places(in: "\n  \(rule.example)\n") == ["Sources/A/B.swift:2: \(rule.example)"])
    #expect(places(in: "// \(rule.example)").isEmpty)
  }

  @Test func eachSchemaIsSpelledOnceByItsDocument() throws {
    let lines = try sourceFiles("Sources", ["swift"]).flatMap(schemaLines)
    #expect(lines.count > 5, "expected the tool's documents, found \(lines.count)")
    for line in lines {
      #expect(
        line.text == "package static let schema = \"\(line.schema)\"",
        "\(line.place): ask the document for its schema")
      #expect(
        ["Features/", "Formats/PagesFormat/"].contains {
          line.place.hasPrefix("Sources/\($0)")
        },
        "\(line.place): what goes out is a document, in a feature or in a format")
      #expect(lines.count { $0.schema == line.schema } == 1, "\(line.place): spelled twice")
    }
  }

  @Test func schemasAreSeen() {
    func found(_ line: String) -> [String] {
      schemaLines(of: SourceFile(path: "Sources/A/B.swift", text: line)).map(\.schema)
    }
    #expect(found("json.member(\"schema\", \"orderfile.diff/1\")") == ["orderfile.diff/1"])
    #expect(found("  /// `orderfile.diff/1`").isEmpty)
    #expect(found("let name = \"orderfile.order\"").isEmpty)
  }

  @Test func theRecorderNeverAllocates() throws {
    let files = try sourceFiles("Runtime", ["c", "h"])
    #expect(files.count > 5, "expected the recorder's sources, found \(files.count) files")
    let allocation = try expression(#"\b(malloc|calloc|realloc|strdup|asprintf|free)\("#)
    let places = files.flatMap { $0.places(of: allocation) }
    #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
  }

  /// The files that may be longer, each with the reason.
  private static let longFiles = [
    "Sources/Formats/ProfileFormat/ProfileReader.swift": "one structure, read in one pass"
  ]

  @Test func noFileIsLong() throws {
    let sources = try sourceFiles("Sources", ["swift", "c", "h"])
    let others =
      try sourceFiles("Runtime", ["c", "h"]) + sourceFiles("Tests", ["swift", "c", "h"])
    let long =
      sources.filter { $0.lines.count > 401 && Self.longFiles[$0.path] == nil }
      + others.filter { $0.lines.count > 601 }
    #expect(
      long.isEmpty,
      """
      one concept per file:
      \(long.map { "\($0.path): \($0.lines.count - 1) lines" }.joined(separator: "\n"))
      """)
    for path in Self.longFiles.keys.sorted() {
      #expect(sources.contains { $0.path == path && $0.lines.count > 401 }, "no longer: \(path)")
    }
  }
}
