import Foundation
import TestSupport
import Testing

/// `orderfile stages` of programs of other projects. Benchmarks/stages shows how much the tracer slows launches down.
@Suite(.needs(.processes)) struct StagesIntegrations {
  private func stages(_ command: [String]) throws -> [[String: Any]] {
    let workshop = try Workshop()
    let run = try workshop.start(
      Built.orderfile, ["stages", "--runs", "2", "--json", "--"] + command
    ).end()
    try #require(run.status == 0, "\(run.errors)")
    let table = try #require((parsedJSON(run.output)["tables"] as? [[String: Any]])?.first)
    let launch = try #require((table["launches"] as? [[String: Any]])?.first)
    let stages = try #require(launch["stages"] as? [[String: Any]])
    let sum = stages.filter { $0["kind"] as? String != "part" }
      .compactMap { ($0["nanoseconds"] as? NSNumber)?.uint64Value }.reduce(0, +)
    #expect(sum == (launch["nanoseconds"] as? NSNumber)?.uint64Value)
    return stages
  }

  @Test(
    .needs("cmake"),
    arguments: [
      (["cmake", "--version"], "initializers of libstdc++.so.6"),
      ([Built.orderfile, "--version"], "initializers of libswiftCore.so"),
    ])
  func aProgramHasEachStageOnce(command: [String], library: String) throws {
    let names = try stages(command).filter { $0["kind"] as? String != "part" }
      .compactMap { $0["name"] as? String }
    #expect(Set(names).count == names.count, "\(names)")
    // On a busy machine the loader's times may disagree with the tracer's.
    let loader =
      names.contains("kernel: exec")
      ? ["loader: loading", "loader: relocation, with symbol look-up"]
      : [
        "kernel: exec, and the loader's own start",
        "loader: loading, relocation and symbol look-up",
      ]
    for name in loader + [library, "initializers of the program", "main until exit"] {
      #expect(names.contains(name), "\(name) is not in \(names)")
    }
  }

  @Test(.needs("musl-gcc")) func aProgramOfAnotherLoaderIsOneRow() throws {
    let workshop = try Workshop()
    try workshop.write("int main(void) { return 0; }\n".utf8, "app.c")
    try workshop.must("musl-gcc", ["app.c", "-o", "app"])
    let run = try workshop.start(Built.orderfile, ["stages", "--runs", "1", "--", "./app"]).end()
    #expect(run.status == 0 && run.text.contains("not separated"))
    #expect(run.errors.contains("is not glibc's loader"), "\(run.errors)")
  }
}
