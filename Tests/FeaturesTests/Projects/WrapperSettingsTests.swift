import ImageModel
import OrderFileFormat
import Projects
import Testing

@Suite struct WrapperSettingsTests {
  private func read(_ variables: [String: String]) throws -> WrapperSettings {
    try WrapperSettings { Array((variables[$0] ?? "").utf8) }
  }

  private static let all: WrapperSettings = {
    var settings = WrapperSettings()
    settings.linker = .gold
    settings.links = Array("/links".utf8)
    settings.orders = Array("/orders".utf8)
    settings.maps = Array("/maps".utf8)
    settings.recorder = Array("/rt.o".utf8)
    settings.data = true
    settings.split = Array("/split".utf8)
    settings.bitcode = true
    settings.compileOptions = [Array("-fno-plt".utf8), Array("-g".utf8)]
    settings.linkOptions = [Array("-Wl,-z,now".utf8)]
    return settings
  }()

  @Test(arguments: [all, WrapperSettings()])
  func aWrapperReadsWhatAutoWrites(settings: WrapperSettings) throws {
    let variables = Dictionary(uniqueKeysWithValues: settings.variables.map { ($0.name, $0.value) })
    #expect(try read(variables) == settings)
    // Each variable is written, so that a wrapper reads no variable of the user's environment.
    #expect(variables.count == 10)
  }

  @Test func theUsualLinkerIsOneOfPATH() throws {
    #expect(try read(["PATH": "/none"]).linker == .gnuLD)
    #expect(try read(["PATH": "/none", "ORDERFILE_LINKER": "lld"]).linker == .lld)
  }

  /// Compilers on Linux do not call Apple's linkers.
  @Test(arguments: ["mold", "ld64"])
  func aLinkerThatIsNotKnownIsRefused(name: String) {
    let error = #expect(throws: Diagnostic.self) { try read(["ORDERFILE_LINKER": name]) }
    #expect(
      error?.description
        == "ORDERFILE_LINKER: unknown linker: expected lld, gold or gnu-ld, found '\(name)'")
  }
}
