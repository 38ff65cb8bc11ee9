import Foundation
import TestSupport
import Testing

/// A program of 60 functions that is recorded in the field, and payloads of synthetic devices that ran it.
struct FieldProgram {
  /// A folder with the instrumented build `app`, a file `real` with the payload of a launch, and the trace `trace` of the
  /// same launch.
  let workshop: Workshop
  private let table: PayloadWriter.Table

  private static let functionCount = 60

  init() throws {
    workshop = try Workshop()
    let names = (0..<Self.functionCount).map { "f\($0)" }
    let functions = names.map {
      "__attribute__((noinline)) void \($0)(void) { __asm__ volatile(\"\"); }"
    }
    try workshop.write(
      """
      #include <stdlib.h>
      \(functions.joined(separator: "\n"))
      static void (*const all[])(void) = {\(names.joined(separator: ", "))};
      int main(int n, char **v) { for (int i = 1; i < n; i++) all[atoi(v[i])](); return 0; }
      """.utf8, "app.c")
    try workshop.must(
      "clang", ["-O1", "-ffunction-sections", Build.coverage, "-c", "app.c", "-o", "app.o"])
    try workshop.must(
      "clang",
      ["-fuse-ld=lld", "-Wl,--build-id", "app.o", try #require(Built.recorder), "-o", "app"])
    try workshop.must(
      "clang",
      ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "app.c", "-o", "release"])
    let run = try workshop.start(
      workshop.path("app"), ["3", "1", "59"],
      environment: [
        "ORDERFILE_TRACE": workshop.path("trace"), "ORDERFILE_PAYLOAD": workshop.path("real"),
      ]
    ).end()
    try #require(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let shown = try workshop.mustOrderfile("show", "real", "--json").json
    let image = try #require((shown["images"] as? [[String: Any]])?.first)
    let id = try #require(image["id"] as? String)
    let hash = try #require(
      (image["hash"] as? String).flatMap { UInt64($0.dropFirst(2), radix: 16) })
    let digits = Array(id)
    table = PayloadWriter.Table(
      hash: hash, guards: UInt32(try #require(image["guardCount"] as? Int)),
      id: stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0..<$0 + 2]), radix: 16)
      }, functions: [])
  }

  /// The payload of a device that ran `main` and the functions with these numbers, in this order.
  func payload(_ functions: [Int], token: UInt64, machine: UInt32 = 62) -> [UInt8] {
    var writer = PayloadWriter([table])
    (writer.token, writer.machine) = (token, machine)
    let ran = [Self.functionCount] + functions
    writer.tables[0].functions = ran.enumerated().map { ($1, 4 * $0 / ran.count) }.sorted {
      $0.0 < $1.0
    }
    return writer.bytes
  }

  /// A payload of a build whose table of functions has another hash.
  func payloadOfAnotherBuild(token: UInt64) -> [UInt8] {
    var writer = PayloadWriter([table])
    writer.token = token
    writer.tables[0].hash ^= 1
    writer.tables[0].functions = [(0, 0)]
    return writer.bytes
  }

  /// Payloads of devices that each ran a random half of the program's functions; the functions before 10 always, and
  /// the last three rarely.
  func payloads(devices: Int, seed: UInt64) -> [[UInt8]] {
    var random = SeededRandom(seed: seed)
    return (1...devices).map { device in
      var functions = Array(0..<10)
      for function in 10..<57 where Bool.random(using: &random) { functions.append(function) }
      for function in 57..<60 where Int.random(in: 0..<max(devices / 30, 2), using: &random) == 0 {
        functions.append(function)
      }
      return payload(functions.shuffled(using: &random), token: UInt64(device))
    }
  }
}
