import ByteReading
import ImageModel
import OrderFileFormat
import OrderFileMatching
import Testing

/// Tests order files that contain the orders of several images: `init` links all images of a project with one order
/// file.
@Suite struct OrderFileImagesTests {
  private static let both = """
    both
    # orderfile 0.2.0: first uses of app in 1 launch
    # recorded image 01
    a
    gone
    shared
    # data
    table
    # orderfile 0.2.0: balanced order of libpart.so in 12 launches
    shared
    b
    a
    lost

    """
  private static let app = OrderFile.Build(
    "app",
    layout(
      [Placed("a", 0x1000), Placed("both", 0x1010), Placed("shared", 0x1020)],
      absent: [("table", .data), ("b", .undefined)]), nil)
  private static let library = OrderFile.Build(
    "libpart.so",
    layout(
      [Placed("b", 0x1000), Placed("shared", 0x1010)], absent: [("a", .undefined)]), nil)

  private func read(_ text: String, _ dialect: OrderFileDialect = .lld) throws -> OrderFile {
    try dialect.read(FileBytes(Array(text.utf8)))
  }

  private func names(_ order: OrderFile) -> [String] {
    order.entries.map { String(decoding: $0.symbol, as: UTF8.self) }
  }

  @Test func aTitleNamesTheImageOfTheLinesBelow() throws {
    let file = try read(Self.both)
    #expect(file.listings.map(\.image) == ["app", "libpart.so"])
    #expect(file.image(ofLine: 1) == nil && file.image(ofLine: 2) == "app")
    #expect(file.image(ofLine: 8) == "app" && file.image(ofLine: 13) == "libpart.so")
  }

  @Test(arguments: OrderFileDialect.all) func eachDialectHasTitles(dialect: OrderFileDialect) throws
  {
    let title = OrderFileTitle.text(
      version: "1", .balanced, ofImage: "an app in a folder", in: "2 launches")
    let entry = OrderFileEntry(symbol: Array("_a".utf8), section: Array(".text.a".utf8))
    let bytes = dialect.write([entry], header: [title, "more"]).bytes
    let file = try dialect.read(FileBytes(bytes + bytes))
    #expect(file.listings.map(\.image) == ["an app in a folder", "an app in a folder"])
    #expect(file.orders(of: [Self.app]).order.entries == file.entries)
  }

  @Test(arguments: [
    " orderfile gen -o app.order", "orderfile 1: refined", " first uses of app in 1 launch", "",
    " orderfile 1: first uses of  in ", " orderfile 1: first uses of in 1 launch",
  ])
  func anotherCommentIsNoTitle(comment: String) throws {
    #expect(try read("#\(comment)\na\n").listings.isEmpty)
  }

  /// `a` of the library's order is in the program, too, but the program's own comes first.
  @Test func anImageFollowsItsOwnOrderAndWhatItHasOfOthers() throws {
    let file = try read(Self.both)
    let program = file.orders(of: [Self.app])
    #expect(names(program.order) == ["both", "a", "gone", "shared", "table"])
    #expect(program.order.entries.map(\.isData) == [false, false, false, false, true])
    #expect(program.order.lines == [1, 4, 5, 6, 8] && program.others == 2)
    let library = file.orders(of: [Self.library])
    // The library does not define `a`, but `a` is in the library's own order.
    #expect(names(library.order) == ["both", "shared", "b", "a", "lost"] && library.others == 3)
    let together = file.orders(of: [Self.library, Self.app])
    #expect(
      names(together.order) == ["both", "a", "gone", "shared", "table", "b", "lost"]
        && together.others == 0)
  }

  @Test func anImageOfAnotherNameIsThatOfWhichItHasTheMost() throws {
    let file = try read(Self.both)
    let renamed = OrderFile.Build("app-default", Self.app.layout, nil)
    #expect(names(file.orders(of: [renamed]).order) == ["both", "a", "gone", "shared", "table"])
  }

  /// A stale entry stays stale: nothing shows that it is for another image.
  @Test func theOrderOfOneImageIsTakenAsAWhole() throws {
    let file = try read(Self.both.split(separator: "# orderfile 0.2.0: balanced")[0] + "")
    for build in [Self.app, Self.library] {
      let (order, others) = file.orders(of: [build])
      #expect(order.entries == file.entries && others == 0)
    }
  }

  @Test func theLinesOfOtherImagesAreKeptAsTheyAre() throws {
    let bytes = FileBytes(Array(Self.both.utf8))
    let file = try read(Self.both)
    let own = file.orders(of: [Self.app]).order
    #expect(
      String(decoding: file.linesOfOthers(than: own, in: bytes), as: UTF8.self)
        == "# orderfile 0.2.0: balanced order of libpart.so in 12 launches\nshared\nb\na\nlost\n")
    #expect(own.comments.map(\.line) == [2, 3, 7])
    let library = file.orders(of: [Self.library]).order
    #expect(
      String(decoding: file.linesOfOthers(than: library, in: bytes), as: UTF8.self)
        .hasPrefix("# orderfile 0.2.0: first uses of app in 1 launch\n# recorded image 01\na\n"))
  }
}
