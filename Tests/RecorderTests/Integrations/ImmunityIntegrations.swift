import TestSupport
import Testing
import TraceFormat

/// Compiles the recorder's C files with the flags of instrumented builds: the recorder itself must not be instrumented.
@Suite(.needs(.compiling)) struct ImmunityIntegrations {
  /// The functions of libc that the recorder may call, only from initializers and at exit, and the symbols that the
  /// linker defines in each image.
  static let allowed: Set<String> = [
    "dl_iterate_phdr", "getauxval", "environ", "dladdr", "orderfile_default_trace",
    "__libc_single_threaded", "clock_gettime", "_GLOBAL_OFFSET_TABLE_", "__ehdr_start", "_end",
  ]

  struct Build: Sendable, CustomTestStringConvertible {
    let compiler: String
    let flags: [String]
    /// Symbols that are allowed in addition to `allowed`: functions of the runtimes, which the constructors call that
    /// the compiler adds to each file.
    var further: [String] = []
    var testDescription: String { ([compiler] + flags).joined(separator: " ") }
    var isLTO: Bool { flags.contains { $0.hasPrefix("-flto") } }
  }

  static let builds: [Build] = {
    var builds: [Build] = []
    for compiler in ["clang", "gcc"] {
      builds += [
        Build(
          compiler: compiler, flags: ["-O0", "-fsanitize=address,undefined"],
          further: ["__asan_", "__start_asan_globals", "__stop_asan_globals"]),
        Build(
          compiler: compiler, flags: ["-O2", "-fsanitize=address"],
          further: ["__asan_", "__start_asan_globals", "__stop_asan_globals"]),
        Build(compiler: compiler, flags: ["-O2", "-fsanitize=thread"], further: ["__tsan_init"]),
        Build(compiler: compiler, flags: ["-O2", "-fsanitize=undefined"]),
      ]
      builds += [
        ["-O0", "-ftrivial-auto-var-init=zero", "-finstrument-functions"], ["-Os", "-pg"],
        ["-O2", "-fstack-protector-all", "-fprofile-generate"],
        ["-O3", "-ftrivial-auto-var-init=pattern", "-finstrument-functions"], ["-O2", "-flto"],
      ].map { Build(compiler: compiler, flags: $0) }
    }
    return builds
      + [
        ["-O2", "-fsanitize-coverage=func,trace-pc-guard,pc-table"],
        ["-O0", "-fsanitize-coverage=edge,trace-pc-guard,pc-table,trace-cmp"],
        ["-O2", "-fprofile-instr-generate", "-fcoverage-mapping", "-fxray-instrument"],
        ["-O2", "-flto=thin"], ["-O2", "-mllvm", "-hot-cold-split=true"],
      ].map { Build(compiler: "clang", flags: $0) }
  }()

  @Test(arguments: builds)
  func theBuildAroundItLeavesTheRecorderAlone(build: Build) throws {
    let workshop = try Workshop()
    let whole = try workshop.compileWholeRecorder(
      build.compiler, flags: build.flags + ["-Wall", "-Wextra", "-Werror"])
    if !build.isLTO {
      try check(try MachineCode(whole, in: workshop), build)
    }

    let program = workshop.path("program")
    let object = workshop.path("tail.o")
    try workshop.make(
      "clang",
      ["-O1", "-g0", "-fPIC", "-c", Workshop.source("launch/tail.c"), "-o", object]
        + Workshop.instrumented)
    let linker = build.compiler == "clang" ? ["-fuse-ld=lld"] : []
    let linked = build.flags.filter { !$0.contains("coverage") }
    let isSanitized = linked.contains { $0.hasPrefix("-fsanitize=") } && build.compiler == "clang"
    try workshop.make(
      isSanitized ? Workshop.sanitizingClang : build.compiler,
      linked + linker + [whole, object, "-o", program])
    let ended = try workshop.record(
      program,
      environment: [
        "LLVM_PROFILE_FILE": workshop.path("profile"), "ASAN_OPTIONS": "detect_leaks=0",
      ])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    var names = FunctionNames(workshop)
    #expect(try names.names(try workshop.trace()) == ["main", "first_empty", "second_empty"])
  }

  private func check(_ code: MachineCode, _ build: Build) throws {
    let foreign = code.undefined.subtracting(Self.allowed).filter { name in
      !build.further.contains(where: name.hasPrefix)
    }
    #expect(foreign.sorted() == [])
    #expect(code.functions.keys.filter { $0.contains(".cold") } == [])

    let reached = code.reached(from: "__sanitizer_cov_trace_pc_guard")
    #expect(reached.contains("of_first_hit") && reached.contains("of_replace_trace_after_fork"))
    #expect(!reached.contains("of_start_recording"))
    for name in reached.sorted() {
      for (type, symbol) in code.functions[name]?.relocations ?? [] {
        #expect(!code.undefined.contains(symbol), "\(name) needs \(symbol)")
        let isIndirect = ["GOT", "TLS", "TPOFF"].contains { type.contains($0) }
        #expect(!isIndirect, "\(name) reaches \(symbol) by \(type)")
      }
    }
  }
}
