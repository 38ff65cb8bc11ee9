import Foundation
import TestSupport
import Testing

/// `orderfile auto --prefetch`: whether images prefetch is decided by what cold launches from a slow device cost.
@Suite(.needs(.recording), .needs(.device), .needs(.root)) struct AutoPrefetchTests {
  /// Without an argument, a launch runs 600 KB of code: more than the device reads ahead. With one it runs hardly any.
  private static let source: String = {
    let functions = (0..<40).map {
      "__attribute__((noinline)) int f\($0)(int n) { __asm__ volatile(\".fill 60000, 1, 0x90\"); return n + \($0); }\n"
    }
    let calls = stride(from: 0, to: 40, by: 4).map { "  n = f\($0)(n) - \($0);\n" }
    return """
      \(functions.joined())
      int main(int n, char **words) {
        if (n > 1) return 0;
        (void)words;
      \(calls.joined())  return n - 1;
      }

      """
  }()

  private static func project() throws -> AutoProject {
    let project = try AutoProject(makefile: false)
    try project.write("src/main.c", source)
    try project.write(
      "Makefile", "app: src/main.o\n\t$(CC) -o $@ src/main.o\n%.o: %.c\n\t$(CC) -c $< -o $@\n")
    return project
  }

  private func prefetch(_ run: Run) throws -> [String: Any] {
    try #require(run.json["prefetch"] as? [String: Any], "\(run.errors)")
  }

  private func image(_ run: Run) throws -> [String: Any] {
    try #require((run.json["images"] as? [[String: Any]])?.first)
  }

  @Test func prefetchingIsKeptWhereColdLaunchesCostLess() throws {
    let project = try Self.project()
    let run = try project.start(["--launch", "./app", "--prefetch"]).end()
    try #require(run.status == 0, "\(run.errors)")
    let prefetch = try prefetch(run)
    let requests = try #require(prefetch["requests"] as? [String: Int])
    #expect(prefetch["isKept"] as? Bool == true && requests["saved"].map { $0 > 0 } == true)
    let source = try #require(try image(run)["prefetchSource"] as? String)
    #expect(source == "orders/app-prefetch.c")
    let text = try String(contentsOfFile: "\(project.output)/summary.txt", encoding: .utf8)
    #expect(text.contains("prefetching is kept: on the device slow, cold launches have "))
    #expect(text.contains("add to app: '\(project.output)/\(source)'"))
    let workshop = project.workshop
    let verified = try workshop.mustOrderfile(
      "verify", "\(project.output)/orders/app.order", "--image", "\(project.output)/images/app",
      "--limit", "verify.unprefetched<=0%")
    #expect(verified.text.contains("\nprefetched: "))

    // Only the page of the function that prefetches is read because of a fault.
    let faults = try workshop.mustOrderfile(
      "faults", "--cold", "--device", "slow", "--json", "--", "\(project.output)/images/app")
    let prefetched = try #require(faults.json["prefetchedFaults"] as? Int)
    #expect(prefetched <= 1, "\(faults.text)")
    try workshop.write(faults.output, "faults.json")
    for (limit, status) in [(prefetched, 0), (prefetched - 1, 2)] where limit >= 0 {
      let checked = try workshop.orderfile(
        "check", "faults.json", "--limit", "faults.prefetchedFaults<=\(limit)")
      #expect(checked.status == Int32(status), "\(checked.text)\(checked.errors)")
    }

    // Again: nothing is linked or launched. Without the option, the image does not prefetch.
    let again = try project.start(["--launch", "./app", "--prefetch"]).end()
    #expect(again.errors.contains("nothing has changed since the last run"))
    let without = try project.start(["--launch", "./app"]).end()
    #expect(without.status == 0 && without.json["prefetch"] == nil)
    let symbols = try PagesWorkshop.symbols(workshop, "\(project.output)/images/app")
    #expect(symbols["orderfile_prefetch"] == nil && symbols["main"] != nil)
  }

  @Test func prefetchingIsLeftOutWhereColdLaunchesCostTheSame() throws {
    let project = try Self.project()
    let run = try project.start(["--launch", "./app short", "--prefetch"]).end()
    try #require(run.status == 0, "\(run.errors)")
    #expect(try prefetch(run)["isKept"] as? Bool == false)
    #expect(try prefetch(run)["refusal"] as? String == "cold launches do not cost less")
    #expect(try image(run)["prefetchSource"] == nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(project.output)/orders")
    #expect(names == ["app.order"])
    let symbols = try PagesWorkshop.symbols(project.workshop, "\(project.output)/images/app")
    #expect(symbols["orderfile_prefetch"] == nil && symbols["main"] != nil)
  }
}

/// The projects whose images can prefetch.
@Suite(.needs(.processes)) struct AutoPrefetchProjectTests {
  @Test func packagesOfSwiftAreRefused() throws {
    let project = try AutoProject(makefile: false)
    try project.write("Package.swift", "// swift-tools-version: 6.0\n")
    let run = try project.start(["--launch", "app", "--prefetch"]).end()
    #expect(run.status == 64, "\(run.errors)")
    #expect(
      run.errors.contains(
        "--prefetch: unable to prefetch: expected a build that calls linkers by their names, found swiftpm"
      ), "\(run.errors)")
  }

  /// The compiler that links the image compiles the source file, with the options of the link for its target.
  @Test(.needs("clang", "ld.lld", "gcc")) func theCompilerOfTheLinkCompilesTheSourceFile() throws {
    let workshop = try Workshop()
    try workshop.write("int main(void) { return 0; }\n".utf8, "main.c")
    try workshop.write("int orderfile_prefetch_sample;\n".utf8, "app-prefetch.c")
    let environment = ["ORDERFILE_ORDERS": workshop.folder.path, "ORDERFILE_CC": "gcc"]
    func cc(_ words: String...) throws -> Run {
      try workshop.orderfile(["cc"] + words, environment: environment)
    }
    #expect(try cc("-c", "main.c").status == 0)
    #expect(workshop.text("app-prefetch.o") == "")
    #expect(try cc("main.o", "-o", "app").status == 0)
    #expect(try PagesWorkshop.symbols(workshop, "app")["orderfile_prefetch_sample"] != nil)
    let comment = try workshop.must("readelf", ["-p", ".comment", "app-prefetch.o"]).text
    #expect(comment.contains("GCC: ") && !comment.contains("clang"), "\(comment)")
    // A source file that can't be compiled is an error of the link.
    try workshop.write("no C\n".utf8, "app-prefetch.c")
    let run = try cc("main.o", "-o", "app")
    #expect(
      run.status == 1 && run.errors.contains("app-prefetch.c: unable to compile the source file"))
  }
}
