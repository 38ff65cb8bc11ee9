import Addresses
import ImageModel
import JSON

/// The sections and functions of a layout: what the reports on an image and on a link map share.
struct LayoutListing {
  let layout: Layout

  // MARK: JSON

  /// Adds the member `functions`, ascending by address; each alias is an element of its own.
  ///
  /// - Parameter demangle: adds `demangledName` where it differs from `name`.
  func writeFunctions(to json: inout JSONWriter, demangle: NameWording?) {
    json.array("functions") { json in
      for function in layout.functions {
        json.object { json in write(function, to: &json, demangle: demangle) }
      }
    }
  }

  private func write(
    _ function: Function, to json: inout JSONWriter, demangle: NameWording?
  ) {
    json.member("address", function.address)
    if let demangle {
      let name = layout.name(of: function)
      let demangled = demangle(name)
      if demangled != name.description { json.member("demangledName", demangled) }
    }
    if let inputSection = function.inputSection {
      json.member("inputSection", layout.names[inputSection])
    }
    json.member("local", function.isLocal)
    json.member("name", layout.names[function.name])
    json.member("section", layout.sections[Int(function.section)].name)
    json.member("sizeBytes", function.size)
  }

  /// Adds the member `sections`, ascending by address.
  func writeSections(to json: inout JSONWriter) {
    json.array("sections") { json in
      for section in layout.sections {
        json.object { json in
          json.member("address", section.range.start)
          json.member("executable", section.isExecutable)
          json.member("name", section.name)
          json.member("sizeBytes", section.range.size)
        }
      }
    }
  }

  // MARK: Text

  func text(width: Int?, names: NameWording) -> String {
    """

    \(counted(layout.sections.count, "section")):
    \(sections.text(width: width))
    \(counted(layout.functions.count, "function")):
    \(functions(names).text(width: width))
    """
  }

  private var sections: Table {
    var table = Table([
      .init("ADDRESS", separator: " "), .init("SIZE"), .init("FUNCTIONS"), .init("SECTION", .left),
    ])
    var counts = [Int](repeating: 0, count: layout.sections.count)
    for function in layout.functions { counts[Int(function.section)] += 1 }
    var size: UInt64 = 0
    for (section, count) in zip(layout.sections, counts) {
      size = size.addingReportingOverflow(section.range.size).partialValue
      table.add([
        "\(section.range.start)", "\(ByteCount(section.range.size))", "\(count)",
        section.name.description,
      ])
    }
    table.add(["", "\(ByteCount(size))", "\(layout.functions.count)", "TOTAL"])
    return table
  }

  private func functions(_ names: NameWording) -> Table {
    var table = Table([
      .init("ADDRESS", separator: " "), .init("SIZE"), .init("SECTION", .left),
      .init("FUNCTION", .left),
    ])
    let sectionNames = layout.sections.map(\.name.description)
    for function in layout.functions {
      table.add([
        "\(function.address)", "\(function.size)", sectionNames[Int(function.section)],
        names(layout.name(of: function)),
      ])
    }
    return table
  }
}
