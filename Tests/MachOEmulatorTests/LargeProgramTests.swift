import Foundation
import TestSupport
import Testing

/// A launch of a program with more than a megabyte of code, before and after ordering.
@Suite(.needs(.machOEmulator))
struct LargeProgramTests {
  private func build(_ program: LargeAppleProgram, in workshop: Workshop) throws -> [String] {
    let sdk = try AppleSDK()
    return try program.sources.map { source in
      try workshop.write(source.text.utf8, source.name)
      try sdk.compile(source.name, to: source.name + ".o", for: .iOS, in: workshop)
      return source.name + ".o"
    }
  }

  @Test func aLaunchTouchesPagesAllOverAndFewOnceItIsOrdered() throws {
    let program = LargeAppleProgram(seed: 7)
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    let objects = try build(program, in: workshop)
    try sdk.link(objects, to: "before", for: .iOS, in: workshop)
    try workshop.write(program.startupOrder.joined(separator: "\n").utf8, "order")
    try sdk.link(
      objects, to: "after", for: .iOS, flags: ["-order_file", "order"], in: workshop)

    let emulator = try MachOEmulator()
    let before = try emulator.run("before", in: workshop)
    let after = try emulator.run("after", in: workshop)
    #expect(before.status == 0 && after.status == 0, "\(before.errors)\(after.errors)")
    #expect(before.report.functionNames == program.startupOrder)
    #expect(after.report.functionNames == program.startupOrder)

    let sizes = try workshop.run("llvm-objdump-19", ["--section-headers", "before"]).output
    let text = try #require(sizes.firstMatch(of: #/__text +([0-9a-f]+) /#))
    #expect(try #require(Int(text.1, radix: 16)) > 60 * 16384)
    let pages = try [before, after].map { run in
      Set(try #require(run.report.images.first).executedPages16k.map(\.address))
    }
    // According to the symbol table, the executed pages are those of the functions of the launch, and no others.
    let listing = try workshop.functionRanges(in: "after")
    let expected = program.startupOrder.flatMap { name -> [UInt64] in
      guard let range = listing[name] else { return [] }
      return stride(
        from: range.lowerBound / 16384, through: (range.upperBound - 1) / 16384, by: 1
      ).map { $0 * 16384 }
    }
    #expect(pages[1] == Set(expected))
    #expect(pages[0].count > 30 && pages[1].count <= 4, "\(pages.map(\.count))")
  }
}

extension Workshop {
  /// The stated address range of each function of `image` whose name is unique, up to the next function.
  func functionRanges(in image: String) throws -> [String: Range<UInt64>] {
    let listing = try run("llvm-nm-19", ["-n", "--defined-only", image]).output
    let symbols = listing.split(separator: "\n").compactMap { line -> (UInt64, String)? in
      guard let match = line.firstMatch(of: /^([0-9a-f]+) [tT] (.*)$/) else { return nil }
      return UInt64(match.1, radix: 16).map { ($0, String(match.2)) }
    }
    var ranges: [String: Range<UInt64>] = [:]
    for (symbol, next) in zip(symbols, symbols.dropFirst()) {
      ranges[symbol.1] = symbol.0..<max(next.0, symbol.0)
    }
    return ranges
  }
}
