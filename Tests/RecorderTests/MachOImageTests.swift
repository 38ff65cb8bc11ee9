import Foundation
import TestSupport
import Testing

/// Tests the interface of the recorder for Darwin, and which functions it calls.
@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-objdump-19"))
struct MachOImageTests {
  /// The functions of libSystem that a hit may call, including those for the first hit of a forked child.
  static let allowedOnAHit: Set<String> = [
    "_getpid", "_pthread_threadid_np", "_mach_absolute_time", "_clock_gettime_nsec_np", "___error",
  ]
  static let allowedInAChild: Set<String> = [
    "_close", "_fchmod", "_fcntl", "_flock", "_fstat", "_ftruncate", "_getcwd",
    "_getenv", "_getrlimit", "_kill", "_link", "_lstat", "_madvise", "_mach_timebase_info", "_mmap",
    "_munmap",
    "_open",
    "_pread", "_pwrite", "_renamex_np", "_sysctl", "_unlink", "_usleep", "_write",
    "__NSGetExecutablePath",
  ]
  static let allowedInInitialisers: Set<String> = [
    "__dyld_get_image_header", "__dyld_get_image_name", "__dyld_image_count",
    "__dyld_register_func_for_remove_image", "_dladdr", "_dlsym", "_issetugid",
    "___stack_chk_guard", "___dso_handle", "___cxa_atexit",
  ]
  static let allowed = allowedOnAHit.union(allowedInAChild).union(allowedInInitialisers)

  /// A person who ports or emulates the platform relies on that list.
  @Test func theListOfWhatItCallsIsWhole() throws {
    let source = try String(
      contentsOfFile: Workshop.package.appendingPathComponent(
        "Runtime/Recorder/platform_darwin.c"
      ).path, encoding: .utf8)
    let comment = try #require(source.firstMatch(of: /\/\*(?s).*?\*\//)).0
    let words = Set(comment.matches(of: /\w+/).map { String($0.0) })
    let needed = Self.allowed.map { String($0.dropFirst()) }.filter { $0 != "__dso_handle" }
    #expect(needed.filter { !words.contains($0) }.sorted() == [])
  }

  @Test(arguments: [
    ["c", "-std=c99"], ["c", "-std=c11"], ["c++", "-std=c++98"], ["c++", "-std=c++20"],
    ["objective-c", "-std=c11"],
  ])
  func theHeaderServesEveryLanguage(language: [String]) throws {
    let apple = try AppleWorkshop(.iOS)
    try apple.workshop.make(
      "clang",
      ["-target", apple.platform.rawValue, "-isysroot", apple.sdk.path, "-x"] + language
        + ["-Wall", "-Wextra", "-Wpedantic", "-Wmissing-prototypes", "-Werror"] + Workshop.includes
        + ["-c", Workshop.source("header/contract.c"), "-o", apple.workshop.path("contract.o")])
  }

  @Test func theSwiftFaceServesEmbeddedSwift() throws {
    let apple = try AppleWorkshop(.iOS)
    let object = apple.workshop.path("face.o")
    let source = Workshop.package.appendingPathComponent("Runtime/OrderFileRuntime/OrderFile.swift")
    try apple.workshop.make(
      "swiftc",
      ["-target", apple.platform.rawValue, "-sdk", apple.sdk.path, "-wmo", "-parse-as-library"]
        + ["-O", "-enable-experimental-feature", "Embedded", "-module-name", "OrderFileRuntime"]
        + Workshop.includes + ["-c", source.path, "-o", object])
    let image = try MachOImage(object, in: apple.workshop)
    #expect(image.undefined.contains("section$start$__DATA$__orderfile"))
  }

  /// In an arm64e image, the return address and the entries in the pc-table can be signed pointers.
  @Test(arguments: ["arm64-apple-ios15.0", "arm64e-apple-macos12.0"])
  func signaturesAreTakenOffPointers(target: String) throws {
    let apple = try AppleWorkshop(.macOS)
    let object = try apple.compileRecorder(["-O2"], target: target)
    let image = try MachOImage(object, in: apple.workshop)
    for function in ["_of_first_hit", "_of_entry_of_guard"] {
      #expect(try image.instructions(function).contains { $0.hasPrefix("xpac") }, "\(function)")
    }
  }
}
