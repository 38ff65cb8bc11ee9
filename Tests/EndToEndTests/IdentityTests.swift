import Foundation
import TestSupport
import Testing

/// The image that a trace belongs to, and the sources of the names in both builds.
@Suite(.needs(.recording)) struct IdentityTests {
  /// A folder with a recorded build, a release build, and a trace: sealed, or as the recorder left it.
  static func workshop(
    isSealed: Bool = true, linkOptions: [String] = []
  ) throws -> (Workshop, objects: [String]) {
    let workshop = try Workshop()
    var build = LaunchToLayoutTests.plain
    let recordedObjects = try workshop.compile(build, isRecorded: true)
    try workshop.link(
      build, recordedObjects, isRecorded: true, options: linkOptions, as: "app.rec")
    let objects = try workshop.compile(build, isRecorded: false)
    build.linkOptions = linkOptions
    try workshop.link(build, objects, options: ["-Wl,-Map=app.map"], as: "app")
    if isSealed {
      try workshop.mustOrderfile("record", "-o", "app.oftrace", "./app.rec")
    } else {
      let run = try workshop.start(
        workshop.path("app.rec"), [], environment: ["ORDERFILE_TRACE": workshop.path("app.oftrace")]
      ).end()
      try #require(run.status == 0)
    }
    return (workshop, objects)
  }

  /// Returns the build ID that `readelf` finds.
  static func buildID(_ workshop: Workshop, _ image: String) throws -> String {
    let notes = try workshop.must("readelf", ["-n", image]).text
    let line = try #require(notes.split(separator: "\n").first { $0.contains("Build ID: ") })
    return String(try #require(line.split(separator: " ").last))
  }

  @Test func aSealedTraceNeedsNoImage() throws {
    let (workshop, objects) = try Self.workshop()
    let before = try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app").output
    try FileManager.default.removeItem(atPath: workshop.path("app.rec"))
    let after = try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app")
    #expect(after.output == before)
    #expect(!after.errors.contains("warning"))
    try workshop.expectOrdered(LaunchToLayoutTests.plain, objects, genOptions: ["--image", "app"])
    // Another image at the path of the recorded image makes no difference, either.
    try workshop.must("cp", ["app", "app.rec"])
    #expect(try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app").output == before)
    #expect(
      try workshop.mustOrderfile("show", "--json", "app.oftrace").text.contains(
        #""names": ["hidden"]"#))
  }

  @Test func aSealedTraceWithoutImageStillNeedsTheBuildToOrder() throws {
    let (workshop, _) = try Self.workshop()
    try FileManager.default.removeItem(atPath: workshop.path("app.rec"))
    let run = try workshop.orderfile("gen", "app.oftrace")
    #expect(run.status == 3)
    #expect(
      run.errors.hasSuffix(
        """
        app.rec: missing the build to order
          hint: give the image with --image, or its link map with --link-map

        """))
    #expect(run.output.isEmpty)
  }

  @Test func anOpenTraceWhoseImageIsGoneAsksForIt() throws {
    let (workshop, _) = try Self.workshop(isSealed: false)
    try workshop.must("mv", ["app.rec", "moved"])
    let run = try workshop.orderfile("gen", "app.oftrace", "--image", "app")
    #expect(run.status == 3)
    #expect(
      run.errors == """
        orderfile: error: app.oftrace: \(workshop.path("app.rec")): missing the recorded image, whose functions the trace does not name
          hint: give its new path with --recorded, or record again with 'orderfile record', which writes the names of functions into the trace

        """)
    let given = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "app", "--recorded", "moved")
    #expect(given.text.contains("\nhidden\n"))
  }

  @Test func anotherBuildInThePlaceOfTheRecordedOneIsRefusedWithBothIDs() throws {
    let (workshop, _) = try Self.workshop(isSealed: false)
    let recorded = try Self.buildID(workshop, "app.rec")
    let other = try Self.buildID(workshop, "app")
    try workshop.must("cp", ["app", "app.rec"])
    let message = "image ID mismatch: expected \(recorded), found \(other)\n"
    for arguments in [
      ["gen", "app.oftrace", "--image", "app"], ["gen", "app.oftrace"],
      ["gen", "app.oftrace", "--image", "app", "--recorded", "app"],
      ["show", "app.oftrace", "--recorded", "app"],
      ["diff", "app", "app", "--trace", "app.oftrace", "--recorded", "app"],
      ["diff", "app", "app", "--trace", "app.oftrace"],
    ] {
      let run = try workshop.orderfile(arguments)
      #expect(run.status == 3, "\(arguments)")
      #expect(run.errors.contains(message), "\(run.errors)")
      #expect(run.output.isEmpty)
    }
    let show = try workshop.mustOrderfile("show", "app.oftrace")
    #expect(show.errors.contains(message))
  }

  @Test func theRecordedImageMayBeTheOneToOrder() throws {
    let (workshop, _) = try Self.workshop()
    let implied = try workshop.mustOrderfile("gen", "app.oftrace")
    let given = try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app.rec")
    #expect(implied.output == given.output)
    #expect(implied.text.contains("\nmain\nfirst\nhidden\nlast\n"))
  }

  @Test func anotherProgramIsRefusedWithTheCounts() throws {
    let (workshop, _) = try Self.workshop()
    try workshop.write(Array("int main(void) { return 0; }".utf8), "other.c")
    try workshop.must("clang", ["other.c", "-o", "other"])
    let run = try workshop.orderfile("gen", "app.oftrace", "--image", "other", "-o", "app.order")
    #expect(run.status == 3)
    #expect(run.errors.contains("other: only 1 of 5 recorded functions are in this image"))
    #expect(!workshop.fileNames.contains("app.order"))
  }

  @Test func anImageWithoutBuildIDGetsAWeakOneAndAHint() throws {
    let (workshop, objects) = try Self.workshop(linkOptions: ["-Wl,--build-id=none"])
    let run = try workshop.mustOrderfile("record", "-o", "app.oftrace", "./app.rec")
    #expect(run.errors.contains("missing build ID: "))
    #expect(run.errors.contains("hint: link with -Wl,--build-id"))
    let gen = try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app")
    #expect(gen.text.contains("# recorded image weak:"))
    // Stripping moves no code, so the ID stays the same.
    let id = try workshop.mustOrderfile("show", "--json", "app.rec").json["id"] as? String
    try workshop.must("strip", ["app.rec"])
    #expect(try workshop.mustOrderfile("show", "--json", "app.rec").json["id"] as? String == id)
    try workshop.expectOrdered(LaunchToLayoutTests.plain, objects, genOptions: ["--image", "app"])
  }

  @Test func aStrippedRecordedImageIsNamed() throws {
    let (workshop, _) = try Self.workshop(isSealed: false)
    try workshop.must("cp", ["app.rec", "unstripped"])
    try workshop.must("strip", ["app.rec"])
    let run = try workshop.orderfile("gen", "app.oftrace", "--image", "app")
    #expect(run.status == 1)
    #expect(
      run.errors.contains("app.rec: missing names: none of 5 recorded functions has a name\n"))
    #expect(
      run.errors.contains(
        "hint: the recorded image is stripped: record the unstripped build, or give the unstripped build with --recorded"
      ))
    try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app", "--recorded", "unstripped")
  }

  @Test func aStrippedReleaseTakesItsNamesFromItsDebugFileOrMap() throws {
    let (workshop, _) = try Self.workshop()
    let whole = try workshop.mustOrderfile("gen", "app.oftrace", "--image", "app").output
    try workshop.must("objcopy", ["--only-keep-debug", "app", "app.debug"])
    try workshop.must("strip", ["app", "-o", "bare"])
    let bare = try workshop.orderfile("gen", "app.oftrace", "--image", "bare")
    #expect(bare.status == 3)
    #expect(bare.errors.contains("bare: only 0 of 5 recorded functions are in this image"))

    let debug = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "bare", "--debug-file", "app.debug")
    #expect(debug.output == whole)
    try workshop.must("objcopy", ["--add-gnu-debuglink=app.debug", "bare", "linked"])
    #expect(try workshop.mustOrderfile("gen", "app.oftrace", "--image", "linked").output == whole)
    let map = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "bare", "--link-map", "app.map")
    #expect(map.output == whole)

    let wrong = try workshop.orderfile(
      "gen", "app.oftrace", "--image", "bare", "--debug-file", "app.rec")
    #expect(wrong.status == 3)
    #expect(wrong.errors.contains("app.rec: build ID mismatch: expected "))
  }

  /// Only DWARF names the functions, as in a debug file whose symbol table was stripped, too.
  @Test func dwarfAloneNamesTheRelease() throws {
    let (workshop, _) = try Self.workshop()
    var build = LaunchToLayoutTests.plain
    build.compileOptions = ["-g"]
    try workshop.link(build, workshop.compile(build, isRecorded: false), as: "app")
    try workshop.must("objcopy", ["--strip-all", "--keep-section=.debug*", "app", "dwarf"])
    let gen = try workshop.mustOrderfile("gen", "app.oftrace", "--image", "dwarf")
    let names = gen.text.split(separator: "\n").map(String.init)
    #expect(names.filter(CPrograms.plainOrder.contains) == CPrograms.plainOrder)
  }
}
