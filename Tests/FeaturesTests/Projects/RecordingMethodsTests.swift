import ImageModel
import Projects
import Testing

@Suite struct RecordingMethodsTests {
  private static func methods(
    without refused: [AutoDocument.RecordingMethod]
  ) -> RecordingMethods {
    var methods = RecordingMethods()
    for method in refused {
      methods.refuse(
        method,
        RecordingMethods.Refusal("no \(method.rawValue)", hint: "allow \(method.rawValue)"))
      methods.refuse(method, RecordingMethods.Refusal("a later reason"))
    }
    return methods
  }

  @Test(
    arguments: [
      ([], .breakpoints, nil), ([.qemu], .breakpoints, nil),
      ([.breakpoints], .qemu, "breakpoints: no breakpoints"),
      ([.breakpoints, .qemu], .instrument, "breakpoints: no breakpoints; qemu: no qemu"),
    ] as [([AutoDocument.RecordingMethod], AutoDocument.RecordingMethod, String?)])
  func theFirstThatCanBeUsedIsChosen(
    refused: [AutoDocument.RecordingMethod], chosen: AutoDocument.RecordingMethod, reason: String?
  ) throws {
    let methods = Self.methods(without: refused)
    #expect(try methods.chosen(nil) == chosen && methods.best == chosen)
    #expect(methods.reason(for: chosen) == reason && methods.obstacle == nil)
    #expect(methods.finding.severity == (reason == nil ? .ok : .warning))
  }

  @Test func theHintsAreThoseOfEarlierMethods() {
    #expect(Self.methods(without: [.breakpoints]).finding.hint == "allow breakpoints")
    var methods = RecordingMethods()
    methods.refuse(.breakpoints, RecordingMethods.Refusal("no"))
    #expect(methods.finding.severity == .warning && methods.finding.hint == nil)
  }

  /// Each foreign program has to be emulated, whatever the other programs are.
  @Test(arguments: [[nil, "no riscv"], ["no riscv", nil], ["no riscv", "no arm"]])
  func oneForeignProgramWithoutAnEmulatorIsEnough(reasons: [String?]) {
    var methods = RecordingMethods()
    methods.refuseOwnEmulation(RecordingMethods.Refusal("no own"))
    #expect(methods.refusal(of: .qemu)?.reason == "no own")
    for reason in reasons {
      methods.needForeignEmulation(reason.map { RecordingMethods.Refusal($0) })
    }
    #expect(methods.refusal(of: .qemu)?.reason == "no riscv")
  }

  @Test func foreignProgramsNeedNoEmulatorOfThisMachine() {
    var methods = RecordingMethods()
    methods.refuseOwnEmulation(RecordingMethods.Refusal("no own"))
    methods.needForeignEmulation(nil)
    #expect(methods.refusal(of: .qemu) == nil)
  }

  @Test func aWishIsFollowedOrRefused() throws {
    let methods = Self.methods(without: [.qemu])
    #expect(try methods.chosen(.instrument) == .instrument)
    let error = #expect(throws: Diagnostic.self) { try methods.chosen(.qemu) }
    #expect(error?.description == "--qemu: unable to record: no qemu\n  hint: allow qemu")
  }

  @Test func ifNoneCanBeUsedAllReasonsAreGiven() {
    let methods = Self.methods(without: AutoDocument.RecordingMethod.allCases)
    let error = #expect(throws: Diagnostic.self) { try methods.chosen(nil) }
    #expect(
      error?.description
        == "unable to record: breakpoints: no breakpoints; qemu: no qemu; instrument: no instrument\n  hint: allow breakpoints; or allow qemu; or allow instrument"
    )
    #expect(methods.obstacle?.hasPrefix("no way to record: breakpoints: no breakpoints;") ?? false)
    #expect(methods.finding.severity == .error)
  }
}
