import Foundation
import TestSupport
import Testing

/// A folder of one test, in which Mach-O images are built with or without the recorder.
struct AppleWorkshop {
  let platform: AppleSDK.Platform
  let sdk: AppleSDK
  let workshop: Workshop
  private let linking = try? TestSupport.Workshop()

  init(_ platform: AppleSDK.Platform) throws {
    self.platform = platform
    sdk = try AppleSDK()
    workshop = try Workshop()
  }

  /// Compiles a fixture, and returns the path of the object.
  func compile(
    _ source: String, isInstrumented: Bool, flags: [String] = [],
    compiler: String = "clang"
  ) throws -> String {
    let coverage = "func,trace-pc-guard,pc-table"
    let object = workshop.path(source.replacing("/", with: ".") + ".o")
    if source.hasSuffix(".swift") {
      try workshop.make(
        "swiftc",
        ["-target", platform.rawValue, "-sdk", sdk.path, "-wmo", "-parse-as-library", "-O"]
          + ["-enable-experimental-feature", "Embedded", "-c", Workshop.source(source)]
          + ["-o", object] + flags
          + (isInstrumented
            ? ["-sanitize=fuzzer", "-sanitize-coverage=\(coverage)"].flatMap { ["-Xfrontend", $0] }
            : []))
    } else {
      try workshop.make(
        compiler,
        ["-target", platform.rawValue, "-isysroot", sdk.path, "-O1", "-Wall", "-Wextra", "-Werror"]
          + Workshop.includes + ["-c", Workshop.source(source), "-o", object] + flags
          + (isInstrumented ? ["-fsanitize-coverage=\(coverage)"] : []))
    }
    return object
  }

  /// The program of `Fixtures/recorder/apple`, in all languages that the SDK serves.
  func compileProgram(isInstrumented: Bool, flags: [String] = []) throws -> [String] {
    // Embedded Swift comes without a standard library for macOS.
    let hasSwift = platform == .iOS
    var objects = try [
      compile(
        "apple/app.m", isInstrumented: isInstrumented,
        flags: flags + (hasSwift ? ["-DHAS_SWIFT"] : [])),
      compile(
        "apple/engine.cpp", isInstrumented: isInstrumented, flags: ["-fno-exceptions", "-fno-rtti"]),
      compile("apple/core.c", isInstrumented: isInstrumented),
    ]
    if hasSwift {
      objects.append(try compile("apple/face.swift", isInstrumented: isInstrumented))
    }
    return objects
  }

  func link(_ objects: [String], flags: [String] = []) throws -> MachOImage {
    let image = workshop.path("image")
    let linking = try #require(linking)
    try sdk.link(objects, to: image, for: platform, flags: flags, in: linking)
    return try MachOImage(image, in: workshop)
  }

  /// The recorder as it is delivered: a file with a slice for each architecture.
  func recorder() throws -> String { try sdk.recorder(for: platform) }

  /// Compiles the recorder's own files as one unit.
  func compileRecorder(
    _ flags: [String], target: String? = nil, compiler: String = "clang"
  ) throws -> String {
    let unit = workshop.path("whole.c")
    let text = Workshop.runtimeSources.map { "#include \"\($0)\"\n" }.joined()
    try Data(text.utf8).write(to: URL(fileURLWithPath: unit))
    let object = workshop.path("recorder.o")
    try workshop.make(
      compiler,
      ["-target", target ?? platform.rawValue, "-isysroot", sdk.path, "-std=c11"] + flags
        + Workshop.includes + ["-Wall", "-Wextra", "-Werror", "-c", unit, "-o", object])
    return object
  }
}

/// The output of LLVM's tools about a Mach-O file.
struct MachOImage {
  struct Symbol {
    var name: String
    /// The section of the symbol, such as "__TEXT,__text"; empty if the symbol is undefined.
    var section: String
    /// The linkage as `llvm-nm -m` prints it: "external", "private external", "weak external", "non-external", ...
    var linkage: String
  }

  let path: String
  private let workshop: Workshop
  private let slice: [String]
  let symbols: [Symbol]

  init(_ path: String, architecture: String? = nil, in workshop: Workshop) throws {
    self.path = path
    self.workshop = workshop
    slice = architecture.map { ["-arch", $0] } ?? []
    let listing = try workshop.make("llvm-nm-19", ["-m"] + slice + [path]).text
    symbols = listing.split(separator: "\n").compactMap { line in
      // "0000000000000928 (__TEXT,__text) external [no dead strip] _name (from lib)"
      guard let match = line.firstMatch(of: /^[0-9a-f ]+ \(([^)]+)\) (.*?) ([^ ]+)( \(from .*)?$/)
      else { return nil }
      let section = match.1 == "undefined" ? "" : String(match.1)
      let linkage = match.2.replacing("[no dead strip]", with: "")
        .split(separator: " ").joined(separator: " ")
      return Symbol(name: String(match.3), section: section, linkage: linkage)
    }
  }

  /// Names that other images see.
  var exported: Set<String> {
    Set(
      symbols.filter {
        !$0.section.isEmpty && ["external", "weak external"].contains($0.linkage)
      }.map(\.name))
  }

  var undefined: Set<String> { Set(symbols.filter { $0.section.isEmpty }.map(\.name)) }

  func symbol(_ name: String) -> Symbol? { symbols.first { $0.name == name } }

  /// The instructions of `function`, by mnemonic and operands.
  func instructions(_ function: String) throws -> [String] {
    try workshop.make(
      "llvm-objdump-19", ["-d", "--no-show-raw-insn", "--disassemble-symbols=\(function)", path]
    ).text.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /^ *[0-9a-f]+:\s+(.*)$/).map { String($0.1) }
    }
  }

  /// The size of each section in bytes, by "segment,section".
  func sections() throws -> [String: Int] {
    let listing = try workshop.make("llvm-otool-19", ["-l"] + slice + [path]).text
    var sizes: [String: Int] = [:]
    for match in listing.matches(of: /sectname (\S+)\n\s+segname (\S+)\n.*\n\s+size 0x([0-9a-f]+)/)
    {
      sizes["\(match.2),\(match.1)"] = Int(match.3, radix: 16)
    }
    return sizes
  }
}
