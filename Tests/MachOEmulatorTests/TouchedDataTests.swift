import Foundation
import TestSupport
import Testing
import TraceFormat

/// First touches of data in Mach-O images, recorded by the Darwin code.
@Suite(.needs(.machOEmulator)) struct TouchedDataTests {
  static let program = """
    #define APART __attribute__((aligned(64)))
    APART int by_constructor = 1;
    APART const int constants[64] = {1};
    APART int writable = 1;
    APART int zero_filled[64];
    APART const char *pointers[2] = {"a", "b"};
    APART int untouched = 1;
    __attribute__((constructor)) static void first(int count) { by_constructor += count; }
    int main(int count, char **arguments) {
      int volatile stack[4] = {0};
      int one = count > 0;
      int sum = constants[20 * one] + stack[one];
      writable += sum;
      zero_filled[one * 20] = sum;
      sum += pointers[one] != 0;
      return sum != 99 ? 7 : 8;
    }
    """

  /// The constructor runs before or after the compiler's constructor, which registers the image: the linker decides.
  @Test(arguments: [.iOS, .macOS] as [AppleSDK.Platform])
  func touchesOfEachSectionAreRecorded(platform: AppleSDK.Platform) throws {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    try workshop.write(Self.program.utf8, "app.c")
    try sdk.compileInstrumented(
      "app.c", to: "app.o", for: platform, flags: ["-fsanitize-coverage=trace-loads,trace-stores"],
      in: workshop)
    try sdk.link(["app.o", sdk.recorder(for: platform)], to: "app", for: platform, in: workshop)
    let program = RecordedProgram(in: workshop)
    let run = try program.record()
    #expect(run.status == 7 && run.errors == "", "\(run.errors)")
    let trace = try program.trace()
    let slide = try #require(trace.loads.first).slide.rawValue
    let listing = try workshop.run("llvm-nm-19", ["-n", "app"]).output
    let symbols = listing.split(separator: "\n").compactMap { line -> (UInt64, Substring)? in
      let words = line.split(separator: " ")
      return words.count == 3 ? UInt64(words[0], radix: 16).map { ($0, words[2]) } : nil
    }
    let touched = trace.records.compactMap { record -> Substring? in
      guard case .data(let address, let size, let image) = record.event else { return nil }
      #expect(size == 8 && image == 1)
      return symbols.last { $0.0 <= address.rawValue &- slide }?.1
    }
    #expect(
      touched == ["_by_constructor", "_constants", "_writable", "_zero_filled", "_pointers"])
    #expect(trace.header.lostRecords == 0 && trace.inFlightRecords == 0)
  }
}
