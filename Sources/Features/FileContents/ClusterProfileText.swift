import Rendering

/// The text report of a profile of basic block clusters.
package struct ClusterProfileText {
  private let document: ClusterProfileDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's width in columns; `nil` shortens no name.
  package init(
    _ document: ClusterProfileDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    var table = Table([.init("BLOCKS", separator: " "), .init("NAME", .left)])
    for function in document.functions {
      let unit = function.unit.map { "\($0): " } ?? ""
      let blocks = function.clusters.map { "\($0.count)" }.joined(separator: " + ")
      table.add([blocks, unit + function.names.map(names).joined(separator: ", ")])
    }
    return """
      profile of basic block clusters \(printable(document.path))

      \(counted(document.functions.count, "function")) with the blocks to put together:
      \(table.text(width: width))
      """
  }
}
