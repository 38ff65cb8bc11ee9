import ImageModel
import TestSupport
import Testing

/// Tests which images of traces count as builds of the same program or library.
@Suite struct BuildGroupsTests {
  /// Images with their path, their ID, and the library name that they state.
  typealias Images = [(path: String, id: UInt8)]

  static func groups(_ traces: [Images], _ libraryNames: [UInt8: String] = [:]) -> BuildGroups {
    var set = TraceSet()
    for (number, images) in traces.enumerated() {
      set.add(TraceSetTests.trace("\(number)", images))
    }
    return BuildGroups(set) { image in image.id.flatMap { libraryNames[$0.bytes[0]] } }
  }

  /// The names of the groups, and how many images each has.
  static func rows(_ groups: BuildGroups) -> [String] {
    groups.groups.map { "\($0.name) \($0.images.count)" }
  }

  @Test func oneBuildAtTwoPathsIsOneImageWhateverItIsCalled() {
    #expect(Self.rows(Self.groups([[("/a/app", 1)], [("/b/copy", 1)]])) == ["app 2"])
  }

  @Test func librariesThatStateTheSameNameBelongTogether() {
    let groups = Self.groups(
      [[("/usr/lib/libc-2.31.so", 1)], [("/rec/libc.so.6", 2)], [("/rec/libm.so.6", 3)]],
      [1: "libc.so.6", 2: "libc.so.6", 3: "libm.so.6"])
    #expect(Self.rows(groups) == ["libc-2.31.so 2", "libm.so.6 1"])
  }

  @Test func librariesThatStateOtherNamesDoNotThoughTheirFilesAreCalledTheSame() {
    let groups = Self.groups(
      [[("/a/plugin.so", 1)], [("/b/plugin.so", 2)]], [1: "one.so", 2: "two.so"])
    #expect(Self.rows(groups) == ["plugin.so 1", "plugin.so.2 1"])
  }

  @Test(arguments: [
    ("libjq.so.1", "libjq.so.1.0.4", true), ("libjq.so.1.0.4", "libjq.so.1", true),
    ("libjq.so", "libjq.so.1.0.4", true), ("libssl.so.1.1", "libssl.so.1.0.2", false),
    ("libjq.so.1", "libjq.so.10", false), ("app", "app", true), ("app", "app.1", false),
    ("app-record", "app-default", false),
  ])
  func fileNamesAreTheSameButForTheEndOfALibrarysVersion(_ a: String, _ b: String, _ same: Bool) {
    let groups = Self.groups([[("/rec/\(a)", 1)], [("/lib/\(b)", 2)]])
    #expect(groups.groups.count == (same ? 1 : 2))
  }

  @Test func twoImagesOfOneProcessAreTwoThoughTheirFilesAreCalledTheSame() {
    let groups = Self.groups([
      [("/a/plugin.so", 1), ("/b/plugin.so", 2)], [("/a/plugin.so", 3), ("/b/plugin.so", 4)],
      [("/c/plugin.so", 2)],
    ])
    #expect(Self.rows(groups) == ["plugin.so 2", "plugin.so.2 3"])
  }

  @Test func aBuildIsFoundByItsIDThenItsLibrarysNameThenItsFiles() {
    let groups = Self.groups(
      [[("/bin/app", 1), ("/lib/libjq.so.1.0.4", 2), ("/lib/other", 3)]], [2: "libjq.so.1"])
    func group(_ id: UInt8, _ library: String?, _ path: String) -> Int? {
      groups.group(ImageID(kind: .buildID, bytes: [id]), libraryName: library, path: path)
    }
    #expect(group(3, "libjq.so.1", "app") == 2)
    #expect(group(9, "libjq.so.1", "app") == 1)
    #expect(group(9, nil, "build/libjq.so") == 1)
    #expect(group(9, "libjq.so.2", "build/libjq.so") == nil)
    #expect(group(9, nil, "build/app") == 0)
    #expect(group(9, nil, "build/nothing") == nil)
  }

  @Test func weakIDsProveNothing() {
    let weak = ImageID(kind: .weak, bytes: [1])
    var set = TraceSet()
    for path in ["/a/app", "/b/other"] {
      var trace = TraceSetTests.trace(path, [(path, 1)])
      trace.images[0].id = weak
      set.add(trace)
    }
    #expect(BuildGroups(set) { _ in nil }.groups.count == 2)
  }

  @Test func mergedGroupsAreOne() {
    var groups = Self.groups([[("/a/app-default", 1)], [("/b/app-record", 2)]])
    groups.merge(1, into: 0)
    #expect(Self.rows(groups) == ["app-default 2", "app-record 0"])
    #expect(groups.group(ofImageAt: 1) == 0)
  }

  @Test func thousandsOfNamesakesCostNoMoreThanOthers() {
    let growth = costGrowth(from: 1000, by: 8) { count in
      var trace = TraceSetTests.trace("t", (0..<count).map { ("/\($0)/plugin.so", 0) })
      for index in trace.images.indices { trace.images[index].id?.bytes += "\(index)".utf8 }
      var set = TraceSet()
      set.add(trace)
      #expect(BuildGroups(set) { _ in nil }.groups.count == count)
    }
    #expect(growth < 24, "\(growth) times for 8 times as many")
  }
}
