import Foundation
import TestSupport
import Testing

/// Several copies of the recorder in one image: Xcode makes one object of a package with `ld -r`.
@Suite(.needs(.machOEmulator))
struct PackedPackageTests {
  private static let app = """
    #include <orderfile_runtime.h>
    int first_package(int), second_package(int);
    __attribute__((noinline)) static int helper(int x) { __asm__ volatile(""); return x * 3; }
    int main(void) {
      int value = second_package(1) + first_package(2) + helper(3);
      orderfile_mark("first screen");
      return value > 0 ? 7 : 8;
    }
    """
  private static func package(_ name: String) -> String {
    """
    #include <orderfile_runtime.h>
    __attribute__((noinline)) static int helper(int x) { __asm__ volatile(""); return x * 3; }
    __attribute__((constructor)) static void begin(void) { helper(1); }
    int \(name)_package(int x) { orderfile_mark("\(name)"); return helper(x) + 1; }
    """
  }

  /// Makes one object of the recorder and the instrumented `source`.
  private func pack(_ source: String, to name: String, in workshop: Workshop) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: AppleSDK.recorderSources)
      .filter { $0.hasSuffix(".c") }.sorted()
    let unit = files.map { "#include \"\($0)\"\n" }.joined() + source
    try workshop.write(unit.utf8, name + ".c")
    try AppleSDK().compileInstrumented(
      name + ".c", to: name + ".o", for: .iOS,
      flags: ["-DOF_ONE_UNIT"] + AppleSDK.recorderIncludes, in: workshop)
  }

  @Test(arguments: [false, true])
  func ofTheRecordersInTwoPackagesAndAnAppOneActs(areInThePackages: Bool) throws {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    try workshop.write(Self.app.utf8, "app.c")
    try sdk.compileInstrumented("app.c", to: "app.o", for: .iOS, in: workshop)
    let recorder = try sdk.recorder(for: .iOS)
    var objects = ["app.o"]
    for name in ["first", "second"] {
      if areInThePackages {
        try pack(Self.package(name), to: name, in: workshop)
      } else {
        try workshop.write(Self.package(name).utf8, name + ".c")
        try sdk.compileInstrumented(name + ".c", to: name + ".o", for: .iOS, in: workshop)
        try FileManager.default.copyItem(
          atPath: recorder, toPath: workshop.folder.appendingPathComponent("of\(name).o").path)
        objects.append("of\(name).o")
      }
      objects.append(name + ".o")
    }
    try sdk.link(objects + [recorder], to: "app", for: .iOS, in: workshop)

    let program = RecordedProgram(in: workshop)
    let run = try program.record()
    #expect(run.status == 7 && run.errors == "", "\(run.errors)")
    let trace = try program.trace()
    #expect(trace.steps(run) == program.executed(run))
    #expect(
      trace.steps(run).map(\.function) == [
        "_begin", "_helper", "_begin", "_helper", "_main", "_second_package", "_first_package",
        "_helper",
      ])
    #expect(trace.marks == ["second", "first", "first screen"])
    #expect(trace.loads.count == 1 && trace.header.lostRecords == 0)
    #expect(try program.traces() == ["trace"])
  }

  /// A +load method runs before the constructors of the compiler, which register the image with the recorder.
  @Test func whatRunsBeforeTheFirstInitializerIsNeverLost() throws {
    // The mark would lie in both parts of the early buffer: 4,095 hits precede it.
    let count = 6000
    let functions = (0..<count).map { "F void f\($0)(void) { __asm__ volatile(\"\"); }" }
    let app = """
      #include <objc/NSObject.h>
      #include <orderfile_runtime.h>
      #define F __attribute__((noinline)) static
      \(functions.joined(separator: "\n"))
      static void (*const all[])(void) = {\((0..<count).map { "f\($0)" }.joined(separator: ","))};
      @interface Screen : NSObject
      @end
      @implementation Screen
      + (void)load {
        for (int i = 0; i < \(count); i++) {
          if (i == 4094) orderfile_mark("early");
          all[i]();
        }
      }
      @end
      int main(void) { return 7; }
      """
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    try workshop.write(app.utf8, "app.m")
    try sdk.compileInstrumented("app.m", to: "app.o", for: .iOS, in: workshop)
    try sdk.link(["app.o", sdk.recorder(for: .iOS)], to: "app", for: .iOS, in: workshop)
    let program = RecordedProgram(in: workshop)
    let run = try program.record()
    #expect(run.status == 7 && run.errors == "", "\(run.errors)")
    let trace = try program.trace()
    #expect(trace.header.lostRecords == 0 && trace.marks == ["early"])
    #expect(trace.steps(run).count == count + 2)
    #expect(trace.steps(run) == program.executed(run))
  }
}
