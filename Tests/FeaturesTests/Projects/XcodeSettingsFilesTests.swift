import ImageModel
import Projects
import Testing

@Suite struct XcodeSettingsFilesTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds() }

  @Test func bothFilesAndAnEmptyOrderFileAreWritten() throws {
    let files = XcodeSettingsFiles(folder: builds.path("settings"), runtime: builds.path("runtime"))
    let (steps, warnings) = try files.write()
    #expect(builds.text("settings/orderfile-record.xcconfig")?.isEmpty == false)
    let order = try #require(builds.text("settings/orderfile-order.xcconfig"))
    #expect(order.contains("/settings/app.order"))
    #expect(builds.bytes("settings/app.order") == [])
    #expect(steps.contains("orderfile-record.xcconfig"))
    #expect(warnings.map(\.context) == [[builds.path("runtime/iphoneos/orderfile_rt.o")]])
  }

  @Test func anOrderFileThatIsThereStays() throws {
    try builds.write("_main\n", "App.order")
    let files = XcodeSettingsFiles(
      folder: builds.path("settings"), orderFile: builds.path("App.order"),
      runtime: builds.path("runtime"))
    _ = try files.write()
    #expect(builds.text("App.order") == "_main\n")
  }

  @Test(arguments: ["a$b", "a//b", "a\nb", "a\"b"])
  func aPathThatASettingsFileCantSayIsRefused(_ name: String) {
    let files = XcodeSettingsFiles(folder: builds.path(name), runtime: "/usr/lib")
    #expect(diagnostic { _ = try files.write() }?.message.hasPrefix("invalid path") ?? false)
    #expect(builds.bytes(name) == nil)
  }
}
