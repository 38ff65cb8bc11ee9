import Foundation
import TestSupport
import Testing

/// Tests `orderfile gen --split-profile` with programs of other compilers.
@Suite(.needs(.recording, "clang-19")) struct SplitIntegrations {
  @Test(arguments: SplitTests.programs(of: "clang-19"))
  func aSplitProgramIsTheSameProgram(_ program: SplitTests.Program) throws {
    try SplitTests.expectSameProgram(program)
  }

  @Test(arguments: [
    ("clang", "-flto=thin"), ("clang-19", "-flto=full"), ("clang-19", "-flto=thin"),
  ])
  func linkTimeOptimizationSplitsToo(compiler: String, lto: String) throws {
    try SplitModulesTests().expectSplit(by: compiler, lto: lto)
  }

  @Test func aSwiftProgramIsSplitByLinkTimeOptimization() throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      enum Problem: Error { case odd(Int), negative(Int) }
      actor Sum {
        private(set) var total = 0
        func add(_ number: Int) throws {
          if number < 0 { print("no sum of \\(number)"); throw Problem.negative(number) }
          total += number
        }
      }
      func pairs(_ words: [String]) throws -> [String: Int] {
        if words.count % 2 == 1 { throw Problem.odd(words.count) }
        var found: [String: Int] = [:]
        for index in stride(from: 0, to: words.count, by: 2) {
          guard let number = Int(words[index + 1]) else { print("no number: \\(words[index + 1])"); continue }
          found[words[index]] = number
        }
        return found
      }
      @inline(never) func add(_ number: Int, to sum: Sum) async throws -> Int {
        if number > 99 { await Task.yield(); print("large: \\(number)"); try await sum.add(1) }
        try await sum.add(number)
        return number
      }
      @inline(never) func total(_ numbers: [Int]) async -> Int {
        let sum = Sum()
        do {
          try await withThrowingTaskGroup(of: Int.self) { group in
            for number in numbers { group.addTask { try await add(number, to: sum) } }
            for try await number in group where number == 7 { print("seven") }
          }
        } catch { print("problem: \\(error)") }
        return await sum.total
      }
      do {
        let found = try pairs(Array(CommandLine.arguments.dropFirst())).sorted { $0.key < $1.key }
        print(found, await total(found.map { $0.value }))
      } catch { print("problem: \\(error)") }
      """.utf8, "main.swift")
    func build(_ image: String, _ options: [String] = []) throws {
      try workshop.must(
        "swiftc",
        ["-O", "-lto=llvm-full", "-use-ld=lld", "-module-name", "app", "main.swift", "-o", image]
          + (["--lto-basic-block-address-map", "--build-id", "--no-warn-symbol-ordering"] + options)
          .flatMap { ["-Xlinker", $0] })
    }
    try build("app")
    try workshop.must(
      Built.orderfile,
      ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app", "triangle", "3"])
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order")
    try build(
      "split", ["--lto-basic-block-sections=app.clusters", "--symbol-ordering-file=app.order"])
    for arguments in [
      ["triangle", "3"], ["triangle"], ["square", "many"], [], ["square", "100"], ["none", "-1"],
      ["seven", "7"],
    ] {
      let plain = try workshop.start("./app", arguments).end()
      #expect(try workshop.start("./split", arguments).end().text == plain.text)
    }
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--limit", "diff.drifted<=0",
      "--json"
    )
    let order = try #require(report.json["order"] as? [String: Any])
    #expect(order["inOrder"] as? Int == order["entries"] as? Int)
    #expect(try workshop.must("nm", ["split"]).text.contains(".cold\n"))
  }
}
