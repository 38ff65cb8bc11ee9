import Projects
import TestSupport
import Testing

@Suite struct XcodeSettingsTests {
  static let settings = XcodeSettings(
    folder: "/Users/me/My App/orderfile", runtime: "/usr/local/lib/orderfile",
    orderFile: "/Users/me/My App/orderfile/app.order")

  @Test func theTextsAreAsRecorded() throws {
    try expectGolden(Self.settings.record, "reporting/xcode/orderfile-record.xcconfig")
    try expectGolden(Self.settings.order, "reporting/xcode/orderfile-order.xcconfig")
    try expectGolden(Self.settings.steps, "reporting/xcode/steps.txt")
  }

  /// Returns the value of a setting, as it is written.
  private func value(_ name: String, _ text: String) -> Substring? {
    text.split(separator: "\n").first { $0.hasPrefix("\(name) = ") }?.dropFirst(name.count + 3)
  }

  /// The values of a target must stay: these settings are lists that projects also set.
  @Test(arguments: [
    "OTHER_CFLAGS", "OTHER_CPLUSPLUSFLAGS", "OTHER_SWIFT_FLAGS", "OTHER_LDFLAGS_normal",
  ])
  func listsAreAddedTo(name: String) throws {
    #expect(try #require(value(name, Self.settings.record)).hasPrefix("$(inherited) "))
    #expect(value(name, Self.settings.order) == nil)
  }

  /// Xcode also adds OTHER_LDFLAGS, through OTHER_LDRFLAGS, to the links that make one object of a package. The app
  /// would then have as many recorders as packages.
  @Test(arguments: ["OTHER_LDFLAGS", "OTHER_LDRFLAGS"])
  func noRecorderIsLinkedIntoPackages(name: String) {
    #expect(value(name, Self.settings.record) == nil)
  }

  @Test(arguments: [
    ("iphoneos", nil, "iphoneos"), ("appletvsimulator", nil, "appletvsimulator"),
    ("macosx", "NO", "macosx"), ("macosx", "YES", "maccatalyst"),
  ])
  func eachPlatformHasItsRecorder(platform: String, isCatalyst: String?, folder: String) throws {
    var text = String(try #require(value("OTHER_LDFLAGS_normal", Self.settings.record)))
    text.replace("$(inherited) ", with: "")
    let given = ["PLATFORM_NAME": platform, "IS_MACCATALYST": isCatalyst]
    // Xcode evaluates the innermost reference first.
    while let reference = text.firstMatch(of: /\$\((\w+)(:default=(\w+))?\)/) {
      let name = String(reference.1)
      let found =
        (given[name] ?? nil) ?? value(name, Self.settings.record).map(String.init)
        ?? reference.3.map(String.init)
      text.replaceSubrange(reference.range, with: try #require(found))
    }
    #expect(text == "\"/usr/local/lib/orderfile/\(folder)/orderfile_rt.o\"")
  }

  /// The order file belongs to the build that is shipped, and the recorder to the other build.
  @Test func eachFileHasItsOwnSettings() {
    #expect(value("ORDER_FILE", Self.settings.record) == nil)
    #expect(value("ORDER_FILE", Self.settings.order) == "/Users/me/My App/orderfile/app.order")
    #expect(value("LD_GENERATE_MAP_FILE", Self.settings.order) == "YES")
    #expect(!Self.settings.order.contains("orderfile_rt"))
  }

  @Test(arguments: [
    ("/a/b c", true), ("/a//b", false), ("/a/$b", false), ("/a\nb", false), ("/a\"b", false),
  ])
  func someCharactersMeanSomethingThere(path: String, canSay: Bool) {
    #expect(XcodeSettings.canSay(path) == canSay)
  }
}
