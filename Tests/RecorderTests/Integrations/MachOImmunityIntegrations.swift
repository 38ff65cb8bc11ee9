import Foundation
import TestSupport
import Testing

/// Compiles the recorder for Darwin with the flags of instrumented builds: the recorder itself must not be
/// instrumented.
@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-objdump-19"))
struct MachOImmunityIntegrations {
  static let flags: [[String]] = [
    ["-O0", "-fno-common", "-fvisibility=hidden"],
    ["-Os", "-fobjc-arc", "-fapplication-extension"],
    ["-O3", "-fstack-protector-all"], ["-O2", "-finstrument-functions"],
    ["-O2", "-fprofile-instr-generate", "-fcoverage-mapping"], ["-O2", "-fsanitize=address"],
    ["-O0", "-fsanitize=thread"], ["-O2", "-fsanitize=undefined"],
    ["-O2", "-fsanitize-coverage=func,trace-pc-guard,pc-table"],
    ["-O0", "-fsanitize-coverage=edge,trace-pc-guard,pc-table,trace-cmp"],
    ["-O2", "-mllvm", "-hot-cold-split=true"], ["-O2", "-ftrivial-auto-var-init=pattern"],
  ]
  /// A build's flags and what it is for.
  struct Build: Sendable, CustomTestStringConvertible {
    let target: String
    let flags: [String]
    var testDescription: String { ([target] + flags).joined(separator: " ") }
  }

  /// Builds for arm64 with each of the flags, and one build for one of the other targets with each flag.
  static let builds: [Build] = flags.enumerated().flatMap { index, flags in
    let others = [
      "x86_64-apple-macos12.0", "arm64e-apple-macos12.0", "arm64-apple-ios15.0-simulator",
    ]
    // The thread sanitizer does not exist for devices.
    let isForMacAlone = flags.contains("-fsanitize=thread")
    return [
      isForMacAlone ? "arm64-apple-macos12.0" : "arm64-apple-ios15.0",
      isForMacAlone ? others[0] : others[index % others.count],
    ].map { Build(target: $0, flags: flags) }
  }

  @Test(arguments: builds)
  func theBuildAroundItLeavesTheRecorderAlone(build: Build) throws {
    let apple = try AppleWorkshop(.iOS)
    let object = try apple.compileRecorder(build.flags, target: build.target)
    let code = try MachineCode(object, llvm: 19, in: apple.workshop)
    // The labels of signed pointers are not symbols of other images.
    let undefined = code.undefined.filter { !$0.hasPrefix("l_") }
    // The prefixes of functions that are called by the constructors which a sanitizer adds to each file.
    let runtimes = ["___asan_", "___tsan_init", "___llvm_profile_runtime"]
    let foreign = MachOImageIntegrations.plain(undefined).subtracting(MachOImageTests.allowed)
      .filter { name in !runtimes.contains(where: name.hasPrefix) }
    #expect(foreign.sorted() == [])
    #expect(code.functions.keys.filter { $0.contains(".cold") } == [])
    let sections = try MachOImage(object, in: apple.workshop).sections()
    #expect(sections.keys.filter { $0.contains("__sancov") } == [])

    func called(by functions: Set<String>) -> Set<String> {
      let names = Set(functions.flatMap { code.functions[$0]?.calls ?? [] })
      return MachOImageIntegrations.plain(names.intersection(undefined))
    }
    let callback = "___sanitizer_cov_trace_pc_guard"
    let setUp: Set = [
      "_of_replace_trace_after_fork", "_of_further_early_records", "_of_write_payload",
    ]
    let reached = code.reached(from: callback)
    #expect(reached.isSuperset(of: setUp.union(["_of_first_hit"])))
    let onAHit = MachOImageTests.allowedOnAHit
    let beyond = called(by: reached).subtracting(onAHit)
    #expect(beyond.subtracting(MachOImageTests.allowedInAChild).sorted() == [])
    // These functions do what a forked child does once, what a launch with thousands of hits before the trace does, and
    // what the hit does with which a launch ends that is to have a payload. All other calls belong to every first hit.
    let everyHit = called(by: code.reached(from: callback, except: setUp))
    #expect(everyHit.subtracting(onAHit).sorted() == [])
  }

  @Test func theCallbackSurvivesLinkTimeOptimization() throws {
    let apple = try AppleWorkshop(.iOS)
    // The clang must be of the linker's release, because older linkers do not read newer bitcode.
    let recorder = try apple.compileRecorder(["-O2", "-flto"], compiler: "clang-19")
    let core = try apple.compile(
      "apple/core.c", isInstrumented: true, flags: ["-flto"], compiler: "clang-19")
    let engine = try apple.compile(
      "apple/engine.cpp", isInstrumented: true, flags: ["-flto", "-fno-exceptions", "-fno-rtti"],
      compiler: "clang-19")
    let image = try apple.link(
      [core, engine, recorder], flags: ["-dylib", "-install_name", "@rpath/core.dylib"])
    #expect(MachOImageIntegrations.shared.isSubset(of: image.exported))
    let body = try image.instructions("___sanitizer_cov_trace_pc_guard")
    #expect(body.first?.hasPrefix("ldr") == true && body.contains { $0.contains("_of_first_hit") })
    #expect(!image.symbols.contains { $0.name.contains(".cold") })
  }
}
