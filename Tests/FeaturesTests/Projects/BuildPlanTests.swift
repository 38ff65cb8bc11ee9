import CommandSupport
import Foundation
import ImageModel
import OrderFileFormat
import Projects
import TestSupport
import Testing

@Suite struct BuildPlanTests {
  private let workshop: Workshop
  private let environment: LaunchEnvironment

  private static let make = BuildSystem(name: "make", build: "make")
  private static let cargo = BuildSystem(name: "cargo", build: "cargo build", toolchain: .rust)
  private static let swift = BuildSystem(
    name: "swiftpm", build: "swift build", toolchain: .swift(imageFolder: ".build/release"))

  /// Makes a `PATH` with gold and GNU ld.
  init() throws {
    workshop = try Workshop()
    environment = LaunchEnvironment(searchPath: workshop.folder.path)
    for name in ["ld.gold", "ld.bfd"] { try install(name) }
  }

  /// Installs an empty program, which no test runs.
  private func install(_ name: String) throws {
    try workshop.write([], name)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: workshop.folder.appendingPathComponent(name).path)
  }

  private func plan(
    _ system: BuildSystem = make, _ goal: AutoGoal = .functions, linker: OrderFileDialect? = nil,
    splitter: ProjectSplitter? = nil
  ) throws -> BuildPlan {
    try BuildPlan(system, goal: goal, linker: linker, splitter: splitter, in: environment)
  }

  @Test func theOptionsChooseOneGoal() throws {
    #expect(try AutoGoal(split: false, data: false) == .functions)
    #expect(try AutoGoal(split: true, data: false) == .split)
    #expect(try AutoGoal(split: false, data: true) == .data)
    let error = #expect(throws: Diagnostic.self) { try AutoGoal(split: true, data: true) }
    #expect(
      error?.severity == .usage
        && error?.message.hasPrefix("--data and --split can't be used together") ?? false)
  }

  @Test(arguments: [cargo, swift])
  func onlyProjectsOfCHaveTheirDataOrdered(system: BuildSystem) {
    let error = #expect(throws: Diagnostic.self) { try plan(system, .data) }
    #expect(
      error?.message == "unable to order data: expected a project of C or C++, found \(system.name)"
    )
    #expect(error?.severity == .usage)
    #expect(AutoGoal.data.refusal(of: Self.make) == nil)
    for goal in [AutoGoal.functions, .split] { #expect(goal.refusal(of: system) == nil) }
  }

  @Test func ifTheLinkerSplitsItIsLLDAndGetsBitcode() throws {
    try install("ld.lld")
    let swift = try plan(Self.swift, .split, splitter: .linker)
    #expect(swift.system.build == "swift build --experimental-lto-mode=full")
    #expect(swift.compileOptions(splitBy: "/p").last == "--experimental-lto-mode=full")
    for profile in [false, true] {
      #expect(swift.objects(of: .ordered, hasProfile: profile) == .bitcode)
    }
    let cargo = try plan(Self.cargo, .split, splitter: .linker)
    #expect(cargo.system.build == Self.cargo.build)
    #expect(cargo.compileOptions(splitBy: "/p") == ["-Clinker-plugin-lto", "-Ccodegen-units=1"])
    let error = #expect(throws: Diagnostic.self) {
      try plan(Self.cargo, .split, linker: .gold, splitter: .linker)
    }
    #expect(error?.message.hasPrefix("unable to split with gold: expected lld") ?? false)
  }

  @Test func theLinkerIsTheFirstThatIsInstalled() throws {
    #expect(try plan().linker == .gnuLD)
    #expect(try plan(linker: .gold).linker == .gold)
  }

  private static let refused: [(BuildSystem, AutoGoal, OrderFileDialect?, String)] = [
    (make, .functions, .lld, "missing linker: PATH has no ld.lld"),
    (
      make, .functions, .ldPrime,
      "unsupported linker: expected lld, gold or gnu-ld, found 'ld-prime'"
    ),
    (
      swift, .functions, .gold, "unsupported linker: expected lld for a Swift package, found 'gold'"
    ),
    (make, .data, .gold, "unable to order data with gold: expected lld"),
    (make, .data, nil, "unable to order data: PATH has no ld.lld"),
  ]

  @Test(arguments: refused)
  func aLinkerThatCannotOrderTheProjectIsRefused(
    system: BuildSystem, goal: AutoGoal, linker: OrderFileDialect?, message: String
  ) {
    let error = #expect(throws: Diagnostic.self) { try plan(system, goal, linker: linker) }
    #expect(error?.message == message)
  }

  @Test func eachGoalHasItsObjects() throws {
    func objects(_ goal: AutoGoal, _ variant: BuildPlan.Variant, profile: Bool = false) throws
      -> BuildPlan.Objects
    {
      try install("ld.lld")
      return try plan(Self.make, goal).objects(of: variant, hasProfile: profile)
    }
    for variant in [BuildPlan.Variant.plain, .ordered] {
      #expect(try objects(.functions, variant) == .whole)
      #expect(try objects(.data, variant) == .wholeWithData)
      #expect(try objects(.split, variant) == .mapped)
      #expect(try objects(.split, variant, profile: true) == .split)
    }
    #expect(try objects(.data, .instrumented(recorder: "/rt.o")) == .instrumented)
  }

  @Test func theUserCompilesAsThePlanDoes() throws {
    let sections = "-ffunction-sections"
    #expect(try plan().compileOptions(splitBy: nil) == [sections])
    #expect(
      try plan(Self.make, .split).compileOptions(splitBy: "/p") == [
        sections, "-fbasic-block-address-map", "-fbasic-block-sections=list=/p",
      ])
    #expect(try plan(Self.make, .split).compileOptions(splitBy: nil) == [sections])
    #expect(try plan(Self.cargo).compileOptions(splitBy: nil) == [])
    #expect(
      try plan(Self.make).compileOptions(splitBy: nil, isOCaml: true) == ["-function-sections"])
    #expect(
      try plan(Self.cargo, .split, splitter: .compiler).compileOptions(splitBy: "/p") == [
        "-Cllvm-args=-basic-block-address-map", "-Cllvm-args=-basic-block-sections=/p",
      ])
  }

  @Test func aGoalRefusesTheMethodsThatDoNotSeeIt() {
    func refused(_ goal: AutoGoal) -> [AutoDocument.RecordingMethod] {
      AutoDocument.RecordingMethod.allCases.filter { goal.refusal(of: $0) != nil }
    }
    #expect(refused(.functions) == [])
    #expect(refused(.split) == [.instrument])
    #expect(refused(.data) == [.breakpoints, .qemu])
  }
}
