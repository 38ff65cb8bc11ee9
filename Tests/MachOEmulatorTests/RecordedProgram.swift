import Addresses
import ByteReading
import Foundation
import TestSupport
import Testing
import TraceFormat

/// A program in four languages, with a library that it is linked with and one that it opens, all
/// instrumented, each with a copy of the recorder of its own.
struct RecordedProgram: Sendable {
  static let app = """
    #include <dlfcn.h>
    #include <objc/NSObject.h>
    #include <orderfile_runtime.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    #define F __attribute__((noinline)) static
    int core_value(int), core_late(int), engine_start(int), library_value(int), face_show(int);
    F int unused(int x) { return x * 5; }
    F int helper(int x) { __asm__ volatile(""); return x * 3; }
    @interface Screen : NSObject
    - (int)show:(int)x;
    + (int)never;
    @end
    @interface SplashScreen : Screen
    @end
    @implementation SplashScreen
    + (void)load { helper(1); }
    + (void)initialize { }
    - (int)show:(int)x { return [super show:x] + 1; }
    @end
    @implementation Screen
    + (void)load { }
    + (int)never { return unused(1); }
    - (int)show:(int)x { return x + 1; }
    @end
    @interface Screen (Early)
    @end
    @implementation Screen (Early)
    + (void)load { }
    @end
    __attribute__((constructor)) static void early(void) { helper(2); }
    __attribute__((destructor)) static void finished(void) { __asm__ volatile(""); }
    F void at_exit(void) { __asm__ volatile(""); }
    F int wait_long(int x) { for (int i = 0; i < 120000; i++) __asm__ volatile("" : "+r"(x)); return x; }
    F int open_plugin(void) {
      void *handle = dlopen("libplugin.dylib", RTLD_NOW);
      if (!handle) return 100;
      int result = ((int (*)(int))dlsym(handle, "plugin"))(3);
      return result + dlclose(handle);
    }
    F void end(const char *way) {
      if (!strcmp(way, "_exit")) _exit(9);
      if (!strcmp(way, "abort")) abort();
      if (!strcmp(way, "crash")) *(volatile int *)64 = 1;
      if (!strcmp(way, "stop")) orderfile_stop();
    }
    F int after_the_screen(int x) { __asm__ volatile(""); return x + 1; }
    int main(int count, char **arguments) {
      atexit(at_exit);
      int value = core_value(count) + engine_start(1) + library_value(2);
      value += face_show(value) + open_plugin();
      value += [[SplashScreen new] show:value];
      orderfile_mark("first screen");
      if (count > 1) end(arguments[1]);
      if (count > 9) value += unused(value) + [Screen never];
      value = wait_long(value);
      return after_the_screen(value) + core_late(value) > 0 ? 7 : 8;
    }
    """
  static let core = """
    #define F __attribute__((noinline))
    F static int helper(int x) { __asm__ volatile(""); return x - 4; }
    F int core_never(int x) { return x / 3; }
    F int core_late(int x) { __asm__ volatile(""); return 1; }
    F int core_value(int x) { return helper(x) + 2; }
    """
  static let engine = """
    struct Part { __attribute__((noinline)) Part() { __asm__ volatile(""); } int x = 1; };
    struct Engine {
      __attribute__((noinline)) Engine() { count = part.x; }
      __attribute__((noinline)) virtual int start(int x) { __asm__ volatile(""); return count + x; }
      Part part;
      int count;
    };
    static Engine engine;
    extern "C" int engine_start(int x) { Engine *volatile e = &engine; return e->start(x); }
    """
  static let face = """
    @inline(never) func width(_ x: Int32) -> Int32 { x &+ 1 }
    @_cdecl("face_show") public func show(_ x: Int32) -> Int32 { width(x) &* 2 }
    """
  static let library = """
    struct Library { __attribute__((noinline)) Library() { __asm__ volatile(""); } ~Library(); };
    __attribute__((noinline)) Library::~Library() { __asm__ volatile(""); }
    static Library library;
    extern "C" int library_value(int x) { return x + 100; }
    """
  static let plugin = """
    __attribute__((constructor)) static void begin(void) { __asm__ volatile(""); }
    __attribute__((destructor)) static void finish(void) { __asm__ volatile(""); }
    int plugin(int x) { return x * 11; }
    """

  let workshop: Workshop
  let platform: AppleSDK.Platform

  private static let built = Result { try RecordedProgram(.iOS, linkFlags: []) }

  /// Builds the program for iOS, in a folder of its own.
  init() throws {
    let original = try Self.built.get()
    workshop = try Workshop()
    platform = original.platform
    for image in ["app", "liblibrary.dylib", "libplugin.dylib"] {
      try FileManager.default.copyItem(atPath: original.path(image), toPath: path(image))
    }
  }

  /// Uses another program for iOS: the image `app` in `workshop`.
  init(in workshop: Workshop) {
    self.workshop = workshop
    platform = .iOS
  }

  /// Builds the program `app` and its libraries `liblibrary.dylib` and `libplugin.dylib`.
  init(_ platform: AppleSDK.Platform, linkFlags: [String]) throws {
    workshop = try Workshop()
    self.platform = platform
    let library = ["-dylib", "-install_name"]
    try build(
      "liblibrary.dylib", [("library.cpp", Self.library)],
      library + ["@rpath/liblibrary.dylib"] + linkFlags)
    try build(
      "libplugin.dylib", [("plugin.c", Self.plugin)],
      library + ["@rpath/libplugin.dylib"] + linkFlags)
    // Embedded Swift comes without a standard library for macOS.
    let face =
      platform == .iOS
      ? ("face.swift", Self.face) : ("face.c", "int face_show(int x) { return x; }")
    try build(
      "app", [("app.m", Self.app), ("core.c", Self.core), ("engine.cpp", Self.engine), face],
      ["liblibrary.dylib"] + linkFlags)
  }

  private func build(
    _ image: String, _ sources: [(name: String, text: String)], _ flags: [String]
  ) throws {
    let sdk = try AppleSDK()
    for source in sources {
      try workshop.write(source.text.utf8, source.name)
      try sdk.compileInstrumented(
        source.name, to: source.name + ".o", for: platform,
        flags: source.name.hasSuffix(".cpp") ? ["-fno-exceptions", "-fno-rtti"] : [], in: workshop)
    }
    try sdk.link(
      sources.map { $0.name + ".o" } + [sdk.recorder(for: platform)], to: image, for: platform,
      flags: flags, in: workshop)
  }

  func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }

  /// Launches the program, which records itself to the file `trace`.
  func record(
    _ arguments: [String] = [], environment: [String: String] = [:], slide: UInt64? = nil,
    pid: Int32? = nil
  ) throws -> MachOEmulator.Run {
    try MachOEmulator().run(
      "app", arguments,
      environment: ["ORDERFILE_TRACE": path("trace")].merging(environment) { $1 }, slide: slide,
      pid: pid, in: workshop)
  }

  func trace(_ name: String = "trace") throws -> TraceFile {
    try TraceFile(parsing: FileBytes(path: path(name)))
  }

  /// One function of one image.
  struct Step: Hashable, CustomStringConvertible {
    var image: String
    var function: String
    /// The stated address, which distinguishes functions with the same name.
    var address: UInt64
    var description: String { "\(image) \(function)" }
  }

  /// The instrumented functions in the order in which the emulator saw them begin: all but the recorder's
  /// and the compiler's own.
  func executed(_ run: MachOEmulator.Run) -> [Step] {
    run.report.executedFunctions.compactMap { function in
      guard let name = function.names.first, !Step.isBare(name) else { return nil }
      return Step(
        image: function.image.split(separator: "/").last.map(String.init) ?? "", function: name,
        address: function.address)
    }
  }
}

extension RecordedProgram.Step {
  /// Whether the function `name` belongs to the recorder or to the compiler. `___GLOBAL_init_65535` registers exit
  /// handlers, of an image's code and of the recorder: one is instrumented, the other is not.
  static func isBare(_ name: String) -> Bool {
    ["_of_", "_orderfile_rt_", "___sanitizer_cov_", "_sancov.", "___GLOBAL_init_"]
      .contains(where: name.hasPrefix)
  }
}

extension TraceFile {
  /// Each hit by image and stated entry address; `nil` if no loaded image has its guard or it has no entry.
  var hits: [(image: String, address: UInt64)?] {
    var loaded: [TraceImageRecord] = []
    var hits: [(image: String, address: UInt64)?] = []
    for record in records {
      switch record.event {
      case .load(_, let image): loaded.append(image)
      case .function(let guardAddress, _, let entry):
        let owner = loaded.last { image in
          guardAddress.rawValue &- image.guardStart.rawValue < image.guardSize
        }
        guard let owner, let entry else {
          hits.append(nil)
          continue
        }
        let path = String(decoding: owner.path, as: UTF8.self)
        hits.append((path, entry.rawValue &- owner.slide.rawValue))
      default: break
      }
    }
    return hits
  }

  /// The hits as file name and function. The functions are named by the emulator's report; those that `isBare` excludes
  /// are left out.
  func steps(_ run: MachOEmulator.Run) -> [RecordedProgram.Step] {
    hits.compactMap { hit in
      let known = run.report.executedFunctions.first {
        $0.image == hit?.image && $0.address == hit?.address
      }
      let name = known?.names.first ?? "\(hit?.address ?? 0)"
      guard !RecordedProgram.Step.isBare(name) else { return nil }
      return RecordedProgram.Step(
        image: hit?.image.split(separator: "/").last.map(String.init) ?? "?", function: name,
        address: hit?.address ?? 0)
    }
  }

  var marks: [String] {
    records.compactMap { record in
      if case .mark(let name) = record.event { String(decoding: name, as: UTF8.self) } else { nil }
    }
  }

  var loads: [TraceImageRecord] {
    records.compactMap { if case .load(_, let image) = $0.event { image } else { nil } }
  }
}
