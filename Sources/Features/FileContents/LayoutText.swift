import Addresses
import ImageModel
import Rendering

/// The text report of a layout's sections and functions.
struct LayoutText {
  private let layout: Layout
  private let width: Int?
  private let names: NameWording

  init(_ layout: Layout, width: Int?, names: @escaping NameWording) {
    self.layout = layout
    self.width = width
    self.names = names
  }

  var text: String {
    """

    \(counted(layout.sections.count, "section")):
    \(sections.text(width: width))
    \(counted(layout.functions.count, "function")):
    \(functions.text(width: width))
    """
  }

  private var sections: Table {
    var table = Table([
      .init("ADDRESS", separator: " "), .init("SIZE"), .init("FUNCTIONS"), .init("SECTION", .left),
    ])
    var counts = [Int](repeating: 0, count: layout.sections.count)
    for function in layout.functions { counts[Int(function.section)] += 1 }
    for (section, count) in zip(layout.sections, counts) {
      table.add([
        "\(section.range.start)", "\(ByteCount(section.range.size))", "\(count)",
        section.name.description,
      ])
    }
    let size = layout.sections.map(\.range.size).saturatingSum()
    table.add(["", "\(ByteCount(size))", "\(layout.functions.count)", "TOTAL"])
    return table
  }

  private var functions: Table {
    var table = Table([
      .init("ADDRESS", separator: " "), .init("SIZE"), .init("SECTION", .left),
      .init("FUNCTION", .left),
    ])
    let sectionNames = layout.sections.map(\.name.description)
    for function in layout.functions {
      table.add([
        "\(function.address)", "\(function.knownBytes)", sectionNames[Int(function.section)],
        names(layout.name(of: function)),
      ])
    }
    return table
  }
}
