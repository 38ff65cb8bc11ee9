import Testing

/// Rules for the tests themselves.
@Suite struct TestRuleTests {
  private static func tests() throws -> [SourceFile] {
    let files = try sourceFiles("Tests", ["swift"]).filter {
      !$0.path.hasPrefix("Tests/TestSupport/") && !$0.path.hasPrefix("Tests/AArch64/")
    }
    #expect(files.count > 100, "expected the tests, found \(files.count) files")
    return files
  }

  /// `make check` runs all tests. It knows a skipped test only by its `needs`.
  @Test func aTestIsSkippedByNeedsAlone() throws {
    let conditions = try expression(#"\.(enabled|disabled)\("#)
    let places = try Self.tests().flatMap { $0.places(of: conditions) }
    #expect(places.isEmpty, "use .needs:\n\(places.joined(separator: "\n"))")
  }

  /// Returns the lines of test functions, but not of closures in them, that end the test without an expectation.
  private static func earlyReturns(in file: SourceFile) -> [String] {
    var isTest = false
    var indentation: Int?
    let function = /\bfunc \w/
    let early = /^ *(?:(?:guard|if)\b.*|else )\{ return \}/
    return file.code.compactMap { number, text in
      let blanks = text.prefix { $0 == " " }.count
      if text.contains("@Test") { isTest = true }
      if isTest, text.contains(function) { (isTest, indentation) = (false, blanks) }
      guard let own = indentation else { return nil }
      if text == String(repeating: " ", count: own) + "}" { indentation = nil }
      return blanks == own + 2 && text.contains(early) ? "\(file.path):\(number)" : nil
    }
  }

  @Test func noTestPassesWithoutAnExpectation() throws {
    let places = try Self.tests().flatMap(Self.earlyReturns)
    #expect(places.isEmpty, "use .needs or #require:\n\(places.joined(separator: "\n"))")
  }

  @Test(arguments: [
    ("  @Test func a() {\n    guard b else { return }\n  }", 1),
    ("  @Test(.needs(\"x\"))\n  func a(\n    b: Int\n  ) {\n    if b { return }\n  }", 1),
    ("  @Test func a() {\n    guard b,\n      c\n    else { return }\n  }", 1),
    ("  @Test func a() {\n    each { guard b else { return } }\n  }", 0),
    ("  func a() {\n    guard b else { return }\n  }", 0),
    ("  @Test func a() {\n    b()\n  }\n  func c() {\n    guard d else { return }\n  }", 0),
  ])
  func earlyReturnsAreSeen(code: String, count: Int) {
    let file = SourceFile(path: "Tests/ATests/A.swift", text: code)
    #expect(Self.earlyReturns(in: file).count == count)
  }

  /// The tests test the release build.
  @Test func noTestNeedsADebugBuild() throws {
    let imports = try expression(#"@testable\b"#)
    let places = try Self.tests().flatMap { $0.places(of: imports) }
    #expect(places.isEmpty, "declare it 'package':\n\(places.joined(separator: "\n"))")
  }

  /// A process that another test is starting may hold the file open. Executing it then fails: "Text file busy".
  @Test func noTestExecutesWhatItHasWritten() throws {
    // The literals are searched, which `places` leaves out.
    let places = try Self.tests().flatMap { file in
      file.lines.indices.filter { file.lines[$0].contains("\"chmod\", [\"+x\"") }
        .map { "\(file.path):\($0 + 1)" }
    }
    #expect(places.isEmpty, "use Workshop.writeProgram:\n\(places.joined(separator: "\n"))")
  }

  /// No test fails because the machine is busy.
  @Test func noTestCountsOnTime() throws {
    // These tests kill programs at random instants, and do not expect a program to have reached any point.
    let allowed = [
      "Tests/EndToEndTests/BreakpointTests.swift",
      "Tests/EndToEndTests/BreakpointTests+Tracer.swift",
    ]
    let clocks = try expression(
      #"\bu?sleep\(|\.sleep\(|\bDate\(\)|ContinuousClock|SuspendingClock|DispatchTime"#)
    let places = try Self.tests().filter { !allowed.contains($0.path) }.flatMap {
      $0.places(of: clocks)
    }
    #expect(places.isEmpty, "wait for a condition:\n\(places.joined(separator: "\n"))")
  }
}
