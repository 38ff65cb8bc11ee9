import ByteReading
import ImageModel
import Symbolication
import TestSupport
import Testing

@Suite(.needs(.appleSDK)) struct DebugMapTests {
  private let sdk: AppleSDK
  private let workshop: Workshop

  init() throws {
    sdk = try AppleSDK()
    workshop = try Workshop()
  }

  /// An image of `main.o` and the members of two archives, all with a static function `twin`.
  private func link(flags: [String]) throws -> String {
    for (name, value) in [("main", 1), ("a", 2), ("b", 3), ("c", 4)] {
      let source = """
        static __attribute__((noinline, used)) int twin(int x) { __asm__ volatile(""); return x + \(value); }
        int \(name)(void) { return twin(1); }
        """
      try workshop.write(source.utf8, "\(name).c")
      try sdk.compile("\(name).c", to: "\(name).o", for: .macOS, flags: flags, in: workshop)
    }
    try sdk.archive(["a.o", "b.o"], to: "libx.a", in: workshop)
    try sdk.archive(["c.o"], to: "lib y.a", in: workshop)
    try sdk.link(
      ["main.o", "-all_load", "libx.a", "lib y.a"], to: "app", for: .macOS, in: workshop)
    return workshop.folder.appendingPathComponent("app").path
  }

  private func files(_ layout: Layout) -> [String] {
    layout.functions.map { function in
      "\(layout.name(of: function)) \(function.compiledObjectFile.map { "\(layout.names.name($0))" } ?? "-")"
    }
  }

  @Test func functionsKnowTheObjectFilesThatDebuggersAreTold() throws {
    let layout = try Image.reading(path: try link(flags: ["-g"])).image.layout
    // The judge: llvm-nm's list of the entries for debuggers.
    var expected: [(UInt64, String)] = []
    var file = ""
    for line in try workshop.run("llvm-nm-19", ["-ap", "app"]).output.split(separator: "\n") {
      if let oso = line.firstRange(of: "   OSO ") {
        file = String(line[oso.upperBound...].split(separator: "/").last ?? "")
      } else if let fun = line.firstRange(of: "   FUN "), !line[fun.upperBound...].isEmpty {
        let address = try #require(UInt64(line.prefix(16), radix: 16))
        expected.append((address, "\(line[fun.upperBound...]) \(file)"))
      }
    }
    #expect(expected.count == 8)
    #expect(files(layout) == expected.sorted { $0 < $1 }.map(\.1))
    #expect(files(layout).contains("_twin lib y.a(c.o)"))
  }

  @Test func withoutDebugInformationNothingIsKnown() throws {
    let layout = try Image.reading(path: try link(flags: [])).image.layout
    #expect(layout.functions.count == 8)
    #expect(layout.functions.allSatisfy { $0.compiledObjectFile == nil })
  }

  @Test func aDamagedDebugMapDoesNotTrap() throws {
    let path = try link(flags: ["-g"])
    let bytes = try FileBytes(path: path)
    for damaged in byteFlips(of: bytes.copy(0..<bytes.count), seed: 9) {
      guard let (image, _) = try? Image.reading(FileBytes(damaged), path: "app") else { continue }
      _ = files(image.layout)
    }
  }
}
