import CommandSupport
import ImageModel
import Testing

/// The remedy for an image of which much could not be recorded depends on the image's format.
@Suite struct PartlyRecordableTests {
  @Test(arguments: [
    (ImageFormat.elf, "orderfile record --breakpoints", "XCODE_XCCONFIG_FILE"),
    (.machO, "XCODE_XCCONFIG_FILE", "--breakpoints"),
  ])
  func theHintFitsTheFormat(_ format: ImageFormat, _ hint: String, _ other: String) throws {
    let code = RecordableCode(
      means: .callback, functions: .init(recordable: 1, all: 4),
      bytes: .init(recordable: 10, all: 90))
    let warning = try #require(Diagnostic.partlyRecordable(code, path: "App", format: format))
    #expect(warning.hint?.contains(hint) == true)
    #expect(warning.hint?.contains(other) == false)
  }
}
