import CommandSupport
import Foundation
import ImageModel
import LaunchMeasurement
import OrderFileFormat
import Projects
import Rendering
import TestSupport
import Testing

extension [Finding] {
  /// Returns the finding of the check with the given name; `nil` if there is none.
  func of(_ check: String) -> Finding? { first { $0.check == check } }
}

@Suite struct ToolFindingsTests {
  private static func linker(_ name: String, _ version: String?, orders: Bool? = true)
    -> LinkerFacts
  {
    LinkerFacts(
      BuildLinker(demandedBy: name), version: version,
      ordersFunctions: version == nil ? nil : orders, ordersData: orders,
      writesMaps: true)
  }

  private static func facts(
    _ linkers: [LinkerFacts],
    _ compilers: [ToolFacts.Compiler] = [
      ToolFacts.Compiler(
        "clang", version: "clang version 19.1.4", linker: "LLD 19.1.4", splits: true)
    ]
  ) -> ToolFacts {
    var facts = ToolFacts()
    facts.linkers = linkers
    facts.compilers = compilers
    facts.hasAPT = true
    return facts
  }

  @Test func withoutACompilerOrALinkerThereAreErrors() {
    let findings = Self.facts([Self.linker("lld", nil)], []).findings
    #expect(findings.of("compiler")?.severity == .error)
    #expect(findings.of("compiler")?.hint == "apt-get install clang")
    #expect(findings.of("lld")?.severity == .error)
    #expect(findings.of("lld")?.hint == "apt-get install lld")
  }

  @Test func whatDoesNotStartIsAWarning() {
    var facts = Self.facts([Self.linker("lld", "LLD 19")])
    facts.broken = [
      ToolFacts.BrokenTool("gcc", output: "gcc: error while loading shared libraries: libisl.so"),
      ToolFacts.BrokenTool("gold", output: nil),
    ]
    let findings = facts.findings
    #expect(findings.of("gcc")?.severity == .warning)
    #expect(findings.of("gcc")?.finding.hasSuffix("loading shared libraries: libisl.so") ?? false)
    #expect(findings.of("gold")?.finding == "this tool does not work: it printed nothing")
  }

  /// `record --qemu` refuses such an emulator.
  @Test func anEmulatorWithoutPluginsIsNoneToRecordWith() {
    var facts = Self.facts([])
    facts.staticEmulators = ["qemu-aarch64"]
    let found = facts.findings.of("qemu-user")
    #expect(
      found?.severity == .warning && found?.hint?.contains("QEMU that loads plugins") ?? false)
    #expect(found?.finding.hasPrefix("qemu-aarch64: statically linked") ?? false)
    facts.emulators = ["qemu-x86_64"]
    #expect(facts.findings.of("qemu-user")?.severity == .ok)
  }

  /// The other linker can order, too.
  @Test func aMissingLLDIsAWarningBesideAnother() {
    let findings = Self.facts([Self.linker("lld", nil), Self.linker("gold", "GNU gold 1.16")])
      .findings
    #expect(findings.of("lld")?.severity == .warning && findings.of("gold")?.severity == .ok)
    #expect(
      findings.of("gold")?.finding
        == "GNU gold 1.16: orders functions and data, writes link maps (tried)")
  }

  @Test func aLinkerThatDoesNotOrderIsAWarning() {
    let facts = Self.facts([Self.linker("mold", "mold 2.30", orders: false)])
    #expect(facts.findings.of("mold")?.severity == .warning && facts.orderingLinkers.isEmpty)
    var mold = Self.linker("mold", "mold 2.30", orders: false)
    mold.renaming = RenamingLinker(name: "mold")
    let renaming = Self.facts([mold]).findings.of("mold")
    #expect(
      renaming?.severity == .ok
        && renaming?.finding
          == "mold 2.30: takes no order file, but places functions together that "
          + "'orderfile gen --linker mold --rename-sections' renames (tried)"
    )
    // The finding claims nothing that was not tried.
    let untried = Self.facts([Self.linker("lld", "LLD 19", orders: nil)], []).findings
    #expect(untried.of("lld")?.finding.contains("not tried") ?? false)
  }

  @Test(arguments: [
    ("LLD 19.1.4", nil),
    ("GNU gold (GNU Binutils for Debian 2.40) 1.16", "--linker gold"),
    ("GNU ld (GNU Binutils) 2.44", "--linker gnu-ld"), ("mold 2.30.0", "link with -fuse-ld=lld"),
  ])
  func theDefaultLinkerIsNamed(linker: String, hint: String?) {
    let compiler = ToolFacts.Compiler("cc", version: "gcc 14", linker: linker)
    func found(_ lld: LinkerFacts) -> Finding? {
      Self.facts([lld], [compiler]).findings.of("default linker of cc")
    }
    let without = found(Self.linker("lld", nil))
    #expect(without?.severity == (hint == nil ? .ok : .warning))
    #expect(without?.finding.hasPrefix(linker) ?? false)
    if let hint {
      #expect(without?.hint?.hasSuffix(hint) ?? false)
    } else {
      #expect(without?.hint == nil)
    }
    // `auto` and the documented options choose lld.
    let with = found(Self.linker("lld", "LLD 19"))
    #expect(with?.severity == .ok && with?.hint == nil && with?.finding.hasPrefix(linker) ?? false)
  }

  @Test func aMissingLLDIsInstalledFirst() {
    let compiler = ToolFacts.Compiler("gcc", version: "gcc 12", linker: "GNU ld 2.40")
    let findings = Self.facts([Self.linker("lld", nil)], [compiler]).findings
    #expect(
      findings.of("default linker of gcc")?.hint
        == "apt-get install lld, and link with -fuse-ld=lld; or write its order files: orderfile gen --linker gnu-ld"
    )
  }

  /// Other distributions have other names for packages.
  @Test func packagesAreNamedForAPTOnly() {
    var facts = Self.facts([])
    facts.compilers = []
    #expect(facts.findings.of("splitting functions")?.hint == "apt-get install bolt-19")
    facts.hasAPT = false
    #expect(facts.findings.of("splitting functions")?.hint == "install llvm-bolt")
    #expect(facts.findings.of("compiler")?.hint == "install clang")
  }

  @Test func splittingNeedsAClangThatDidIt() {
    let gcc = ToolFacts.Compiler("gcc", version: "gcc 12", linker: "GNU ld 2.40")
    #expect(Self.facts([], [gcc]).findings.of("splitting functions")?.severity == .warning)
    #expect(Self.facts([]).findings.of("splitting functions")?.finding == "clang, no llvm-bolt")
  }
}

@Suite struct PermissionFindingsTests {
  @Test(arguments: [
    (PermissionFacts.Tracing(refusal: "no", ptraceScope: 2), "sysctl kernel.yama.ptrace_scope=1"),
    (PermissionFacts.Tracing(refusal: "no", ptraceScope: 3), "and reboot"),
    (PermissionFacts.Tracing(refusal: "no", hasFilter: true), "docker run --cap-add=SYS_PTRACE"),
    (PermissionFacts.Tracing(refusal: "no", isTraced: true), "without strace or a debugger"),
  ])
  func theHintForPtraceFitsTheCause(tracing: PermissionFacts.Tracing, hint: String) {
    let facts = PermissionFacts(tracing: tracing)
    var methods = RecordingMethods()
    methods.refuse(.breakpoints, RecordingMethods.Refusal("no"))
    // Another method can record.
    let warning = facts.findings(methods).of("ptrace")
    #expect(warning?.severity == .warning && warning?.hint?.contains(hint) ?? false)
    #expect(facts.refusalOfBreakpoints?.hint == warning?.hint)
    for method in AutoDocument.RecordingMethod.allCases {
      methods.refuse(method, RecordingMethods.Refusal("no"))
    }
    #expect(facts.findings(methods).of("ptrace")?.severity == .error)
  }

  @Test func whatIsPermittedIsOK() {
    #expect(
      PermissionFacts(tracing: PermissionFacts.Tracing(ptraceScope: 1)).findings().allSatisfy {
        $0.severity == .ok && $0.hint == nil
      }
    )
    let refused = PermissionFacts(faultRefusal: "no", confinement: .isMissing).findings()
    #expect(refused.count { $0.severity == .warning } == 2)
  }

  @Test func withoutATemporaryFolderNoToolIsTried() {
    let facts = PermissionFacts(
      confinement: nil, temporaryFolder: "/gone",
      temporaryFolderRefusal: "unable to make a folder: No such file or directory")
    let found = facts.findings().of("temporary folder")
    #expect(found?.severity == .error && found?.hint == "export TMPDIR=FOLDER")
    #expect(facts.findings().of("confined builds") == nil)
    #expect(
      AutoObstacles.ofMachine(nil, facts, MachineFindingsTests.facts())
        == ["no temporary folder in which the tools could be tried"])
    let project = ProjectFacts(demands: [ProjectFacts.Demand(.linker("bfd"), at: "Makefile:1")])
    #expect(project.findings(nil).map(\.check) == ["build system"])
  }

  @Test func anEmptyVariableNamesNoTemporaryFolder() {
    #expect(LaunchEnvironment(searchPath: nil, temporaryFolder: "").temporaryFolder == nil)
    #expect(LaunchEnvironment(searchPath: nil, temporaryFolder: "/t").temporaryFolder == "/t")
  }

  /// `auto` runs all builds confined.
  @Test func aConfinedCommandThatDoesNotRunIsAnObstacle() {
    let facts = PermissionFacts(confinement: .fails("no such folder"))
    #expect(facts.findings().of("confined builds")?.severity == .error)
    var tools = ToolFacts()
    tools.compilers = [ToolFacts.Compiler("gcc", version: "gcc 12")]
    tools.linkers = [LinkerFacts(BuildLinker(.lld), version: "LLD 19", ordersFunctions: true)]
    #expect(
      AutoObstacles.ofMachine(tools, facts, MachineFindingsTests.facts())
        == ["builds can't be confined"])
  }
}

@Suite struct MachineFindingsTests {
  static func facts(
    _ kernel: String = "Linux 6.18.1 x86_64", readAhead: UInt64? = 128 << 10, isLinux: Bool = true
  ) -> MachineFacts {
    MachineFacts(
      machine: MeasuringMachine(
        kernel: kernel, processor: nil, processors: 2, governor: nil, pageBytes: 4096,
        faultAroundBytes: 64 << 10),
      storage: ImageStorage(
        path: "/a", bytes: 1, fileSystem: "ext4", readAheadBytes: readAhead,
        readAheadSetting: "/sys/r"), transparentHugePages: "madvise", isLinux: isLinux)
  }

  @Test(arguments: [
    ("Linux 6.18.44-fc x86_64", "ext4, with large folios"),
    ("Linux 6.16-rc1 x86_64", "ext4, with large folios"),
    ("Linux 6.1.0-40-amd64 x86_64", "ext4, without large folios"), ("Linux", "ext4"),
  ])
  func theKernelDecidesAboutFolios(kernel: String, finding: String) {
    #expect(Self.facts(kernel).findings.of("file system")?.finding.hasPrefix(finding) ?? false)
  }

  @Test func longReadAheadHidesTheOrder() {
    #expect(Self.facts().findings.allSatisfy { $0.severity == .ok })
    let long = Self.facts(readAhead: 8 << 20).findings.of("read-ahead")
    #expect(long?.severity == .warning && long?.hint == "as root: echo 128 >/sys/r")
    #expect(Self.facts(readAhead: nil).findings.of("read-ahead")?.severity == .warning)
  }
}

@Suite struct ProjectFactsTests {
  @Test(arguments: [
    ("Makefile", "LDFLAGS = -fuse-ld=gold -s", ProjectFacts.Demand.Kind.linker("gold")),
    ("Makefile", "CC ?= /usr/bin/gcc-12", .compilerPath("/usr/bin/gcc-12")),
    ("Makefile", "\tCXX:=/opt/g++", .compilerPath("/opt/g++")),
    (".cargo/config.toml", "rustflags = [\"-Clink-arg=-fuse-ld=mold\"]", .linker("mold")),
    ("CMakeLists.txt", "add_link_options(--ld-path=/usr/bin/ld.lld)", .linker("/usr/bin/ld.lld")),
  ])
  func demandsOfBuildFilesAreFound(file: String, line: String, kind: ProjectFacts.Demand.Kind) {
    let found = ProjectFacts.demands(in: "x\r\n\(line)\n", called: file)
    #expect(found == [ProjectFacts.Demand(kind, at: "\(file):2")])
  }

  @Test(arguments: [
    ("[profile.release] # small\nstrip = true", 2), ("[profile.release]\nstrip=\"symbols\"\n", 2),
    // `auto` does not build these profiles.
    ("[profile.dev]\nstrip = true", nil),
    ("[profile.release]\nlto = true\n[profile.dist]\nstrip = true", nil),
  ])
  func strippingOfAReleaseIsADemand(text: String, line: Int?) {
    #expect(
      ProjectFacts.demands(in: text, called: "Cargo.toml")
        == [line].compactMap { $0 }.map {
          ProjectFacts.Demand(.stripping, at: "Cargo.toml:\($0)")
        })
  }

  @Test(arguments: [
    "# -fuse-ld=gold", "CC = gcc", "CCFLAGS = /a", "CC", "strip = false", "-fuse-ld=", "",
  ])
  func otherLinesDemandNothing(line: String) {
    #expect(ProjectFacts.demands(in: line, called: "Cargo.toml").isEmpty)
  }

  private static let make = BuildSystem(name: "make", build: "make")
  private static let cargo = BuildSystem(name: "cargo", build: "cargo build", toolchain: .rust)
  private static let swift = BuildSystem(
    name: "swiftpm", build: "swift build", toolchain: .swift(imageFolder: "b"))
  private static let tools: ToolFacts = {
    var tools = ToolFacts()
    tools.compilers = [ToolFacts.Compiler("gcc", version: "gcc 12")]
    tools.linkers = [
      LinkerFacts(BuildLinker(.gnuLD), version: "GNU ld 2.40", ordersFunctions: true)
    ]
    return tools
  }()

  @Test func whetherAutoCanSucceedDependsOnItsTools() {
    func obstacles(_ systems: [BuildSystem], missing: [String: [String]] = [:]) -> [String] {
      AutoObstacles.of(ProjectFacts(systems: systems, missingTools: missing), Self.tools)
    }
    #expect(obstacles([Self.make]).isEmpty)
    // The user can give a build command.
    #expect(obstacles([]).isEmpty)
    #expect(obstacles([Self.make], missing: ["make": ["make"]]) == ["no make"])
    #expect(obstacles([Self.cargo, Self.make], missing: ["cargo": ["cargo"]]).isEmpty)
    #expect(obstacles([Self.swift]) == ["no lld, which Swift packages need"])
  }

  @Test func aLanguageThatCannotBeOrderedIsAnObstacleUnlessABuildSystemIsThere() throws {
    let go = try #require(UnsupportedLanguage(filesNamed: ["README", "go.mod"]))
    let alone = ProjectFacts(language: go)
    #expect(AutoObstacles.of(alone, Self.tools) == [go.wording])
    #expect(alone.findings(Self.tools).map(\.check) == ["language"])
    #expect(alone.findings(Self.tools).map(\.severity) == [.error])
    let mixed = ProjectFacts(systems: [Self.make], language: go)
    #expect(AutoObstacles.of(mixed, Self.tools).isEmpty)
    #expect(mixed.findings(Self.tools).map(\.check) == ["build system", "language"])
    #expect(mixed.findings(Self.tools).map(\.severity) == [.ok, .warning])
    #expect(UnsupportedLanguage(filesNamed: ["hello.csproj"])?.name == "C#")
    #expect(UnsupportedLanguage(filesNamed: ["csproj", "main.c", "hello.cabal"]) == nil)
    #expect(UnsupportedLanguage(command: ["/usr/bin/go", "build"]) == go)
    #expect(UnsupportedLanguage(command: ["make", "go"]) == nil)
  }

  @Test func whetherAutoCanSucceedDependsOnTheMachine() {
    let machine = MachineFindingsTests.facts()
    #expect(AutoObstacles.ofMachine(Self.tools, PermissionFacts(), machine).isEmpty)
    #expect(
      AutoObstacles.ofMachine(
        ToolFacts(), PermissionFacts(tracing: PermissionFacts.Tracing(refusal: "no")),
        MachineFindingsTests.facts(isLinux: false))
        == [
          "this is not Linux", "no compiler", "no linker that orders functions",
        ])
  }

  /// An error names the check that failed.
  @Test func obstaclesAreAnError() {
    var document = DoctorDocument(
      subject: .machine, path: nil, findings: [], obstacles: ["no compiler", "ptrace is refused"])
    #expect(
      document.problem?.message
        == "'orderfile auto' can't succeed: no compiler, ptrace is refused")
    #expect(document.problem?.severity == .checkFailed)
    document.obstacles = []
    #expect(document.problem == nil)
  }

  @Test func findingsNameWhatIsMissing() {
    let facts = ProjectFacts(
      systems: [Self.cargo, Self.make], missingTools: ["cargo": ["cargo"]],
      demands: [
        ProjectFacts.Demand(.linker("bfd"), at: "Makefile:1"),
        ProjectFacts.Demand(.linker("mold"), at: "Makefile:2"),
        // `BuildLinker` reads this path as GNU ld.
        ProjectFacts.Demand(.linker("/usr/bin/ld"), at: "Makefile:3"),
      ])
    let findings = facts.findings(Self.tools)
    #expect(findings.map(\.check) == ["build system", "cargo", "linker", "linker", "linker"])
    #expect(findings.map(\.severity) == [.warning, .error, .ok, .warning, .ok])
    #expect(findings[0].hint == "orderfile auto --build-system cargo ...")
  }
}

@Suite struct LinkMapFindingsTests {
  @Test(arguments: [
    // Functions of the C runtime do not belong to the project.
    ("lld-elf-basic", "13 of 13 functions have a section of their own, as the link map says"),
    ("lld-macho-x86_64", "linkers of Mach-O images need none"),
    ("ld64-classic-by-hand", "linkers of Mach-O images need none"),
  ])
  func goodBuildsHaveNothingToMend(fixture name: String, text: String) throws {
    let map = fixturesFolder.appendingPathComponent("linkmap/\(name)/input.map")
    let found = Finding.functionSections(ofLinkMap: try ReleaseLayout(path: map.path).layout)
    #expect(found.severity == .ok && found.finding == text && found.hint == nil)
  }
}
