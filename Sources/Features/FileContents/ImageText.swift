import ImageModel
import Rendering

/// The text report of an image.
package struct ImageText {
  private let document: ImageDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's width in columns; `nil` shortens no name.
  package init(
    _ document: ImageDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    let image = document.image
    let guards = counted(Int(clamping: document.guardCount), "guard")
    var share = ""
    if let code = document.recordable { share = "\n  recordable:   \(code.wording)" }
    return """
      image \(printable(image.path))
        architecture: \(image.architecture)
        image ID:     \(image.id?.description ?? "none")
        instrumented: \(image.guards == nil ? "no" : "yes, \(guards)\(share)")
        initializers: \(image.initializers.count)
      \(unseen)
      """ + LayoutText(image.layout, width: width, names: names).text
  }

  /// The code without a callback, by object file; empty if there is none, or if it is unknown.
  private var unseen: String {
    guard let units = document.recordable?.unseen, !units.isEmpty else { return "" }
    var table = Table([.init("SIZE"), .init("FUNCTIONS"), .init("WITHOUT A CALLBACK", .left)])
    let rows = units.prefix(10)
    for unit in rows {
      table.add([
        "\(ByteCount(unit.bytes))", "\(unit.functions)", unit.wording(names),
      ])
    }
    if rows.count < units.count {
      let rest = units.dropFirst(rows.count)
      table.add([
        "\(ByteCount(rest.map(\.bytes).saturatingSum()))",
        "\(rest.map(\.functions).saturatingSum())", "\(rest.count) more",
      ])
    }
    return "\n" + table.text(width: width)
  }
}
