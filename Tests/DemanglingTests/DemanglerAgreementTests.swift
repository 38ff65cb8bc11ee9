import Demangling
import Foundation
import ImageModel
import TestSupport
import Testing

/// Compares the demangler with tools of the toolchains, on the names in this test program: C++ names of the Swift
/// runtime that it is linked with, and its own Swift names.
@Suite struct DemanglerAgreementTests {
  static let swiftDemangle = Tool("swift-demangle")
  static let cxxFilter = Tool("c++filt")
  static let llvmFilter = Tool("llvm-cxxfilt") ?? Tool("llvm-cxxfilt-19")
  static let rustc = Tool("rustc")

  /// Returns about `count` function names of this program that begin with `prefix`, at equal distances.
  static func ownNames(_ prefix: String, count: Int) throws -> [String] {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let names = try functionNames(in: own).filter { $0.hasPrefix(prefix) }
    return stride(from: 0, to: names.count, by: max(1, names.count / count)).map { names[$0] }
  }

  @Test(.needs("swift-demangle", "nm"))
  func fullSwiftNamesAreTheRuntimes() throws {
    let names = try Self.ownNames("$s", count: 300)
    try #require(names.count > 100)
    let expected = try #require(Self.swiftDemangle).run(
      ["--compact", "--no-sugar"], input: names.joined(separator: "\n")
    ).split(separator: "\n").map(String.init)
    let found = names.map { Demangler(.full).demangle(SymbolName($0)) }
    // A few names are refused, because their back references could make the text too long.
    let isRead = names.indices.map { found[$0] != names[$0] }
    #expect(found.indices.filter { isRead[$0] && found[$0] != expected[$0] }.isEmpty)
    #expect(isRead.count { !$0 } * 50 < names.count)
  }

  /// Words that `short` keeps, and that `-simplified` leaves out or words differently.
  static let keptOnPurpose = [
    "value witness", "resume partial function", "partial apply forwarder", "unmangled suffix",
    "outlined ", "merged ", "key path ", "thunk ", "associated type witness", "<A", "@Sendable",
  ]

  @Test(.needs("swift-demangle", "nm"))
  func shortSwiftNamesAreTheSimplifiedOnes() throws {
    let names = try Self.ownNames("$s", count: 600).filter { name in
      let full = Demangler(.full).demangle(SymbolName(name))
      return !Self.keptOnPurpose.contains { full.contains($0) }
    }
    try #require(names.count > 100)
    let expected = try #require(Self.swiftDemangle).run(
      ["--compact", "--simplified"], input: names.joined(separator: "\n")
    ).split(separator: "\n").map(String.init)
    let found = names.map { Demangler(.short).demangle(SymbolName($0)) }
    // Names that are refused are skipped here; the test of full names counts them.
    let differing = names.indices.filter { found[$0] != names[$0] && found[$0] != expected[$0] }
      .map { (found[$0], expected[$0]) }
    // The other differences are in function types, and in the empty brackets of constrained extensions.
    #expect(differing.count * 50 < names.count, "\(differing)")
  }

  /// The C++ names that libstdc++ exports, without versions.
  static func exportedCxxNames(count: Int) throws -> [String] {
    let maps = try FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd() ?? Data()
    guard
      let line = String(decoding: maps, as: UTF8.self).split(separator: "\n").first(where: {
        $0.contains("libstdc++")
      }),
      let path = line.split(separator: " ").last, let nm = Tool("nm")
    else { return [] }
    let names = try nm.run(["-D", "--defined-only", String(path)]).split(separator: "\n").compactMap
    {
      $0.split(separator: " ").last?.prefix { $0 != "@" }
    }.filter { $0.hasPrefix("_Z") }.map(String.init)
    return stride(from: 0, to: names.count, by: max(1, names.count / count)).map { names[$0] }
  }

  @Test(.needs("c++filt", "nm"))
  func cxxNamesAreThoseOfTheFilter() throws {
    // With `-p`, c++filt keeps the parameters of the function that a thunk calls, so thunks are skipped.
    let names = try Self.exportedCxxNames(count: 400).filter {
      let full = Demangler(.full).demangle(SymbolName($0))
      return !full.contains("thunk to ") && !full.hasPrefix("transaction clone")
    }
    try #require(names.count > 100)
    let filter = try #require(Self.cxxFilter)
    for (mode, option) in [(Demangler.Mode.full, ["-i"]), (.short, ["-i", "-p"])] {
      let expected = try filter.run(option, input: names.joined(separator: "\n"))
        .split(separator: "\n").map(String.init)
      let found = names.map { Demangler(mode).demangle(SymbolName($0)) }
      #expect(expected.count == found.count)
      #expect(found == expected, "\(mode)")
    }
  }

  /// Legacy names are compared with binutils, because LLVM keeps their escapes. v0 names are compared with LLVM,
  /// because binutils shows hashes.
  @Test(
    .needs("rustc", "c++filt", "llvm-cxxfilt-19", "nm"))
  func rustNamesAreThoseOfTheFilters() throws {
    try withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("names.rs")
      let object = folder.appendingPathComponent("names.o")
      try Data(RustSource.text.utf8).write(to: source)
      let schemes = [
        ("_ZN", [], try #require(Self.cxxFilter), ["-i"]),
        ("_R", ["-Csymbol-mangling-version=v0"], try #require(Self.llvmFilter), []),
      ]
      for (prefix, options, filter, filterOptions) in schemes {
        _ = try #require(Self.rustc).run(
          [
            "-O", "--edition=2021", "--crate-type=bin", "--emit=obj", source.path, "-o",
            object.path,
          ]
            + options)
        // Generic functions of a prebuilt library keep the scheme that it was built with. Binutils
        // doesn't read the escapes of Latin-1 letters, `$uf6$`.
        let names = try functionNames(in: object).filter {
          $0.hasPrefix(prefix) && !$0.contains("$uf6$")
        }
        try #require(names.count > 10)
        let expected = try filter.run(filterOptions, input: names.joined(separator: "\n"))
          .split(separator: "\n").map(String.init)
        #expect(names.map { Demangler(.full).demangle(SymbolName($0)) } == expected)
      }
    }
  }
}
