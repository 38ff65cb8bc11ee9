import ImageModel
import JSON

/// What `orderfile show` prints of an order file.
package struct OrderFileReport: Sendable {
  package static let schema = "orderfile.orderfile/1"

  /// One line that names something to be ordered.
  package struct Entry: Hashable, Sendable {
    /// As it stands in the file.
    package var name: SymbolName
    /// From 1.
    package var line: Int
    /// The only object file in which the name is meant, and the only architecture; `nil` is all.
    package var objectFile: SymbolName?
    package var architecture: SymbolName?

    package init(
      name: SymbolName, line: Int, objectFile: SymbolName? = nil, architecture: SymbolName? = nil
    ) {
      self.name = name
      self.line = line
      self.objectFile = objectFile
      self.architecture = architecture
    }
  }

  package var path: String
  /// Which linker takes it: `lld`, `gold`.
  package var dialect: String
  package var entries: [Entry]

  package init(path: String, dialect: String, entries: [Entry]) {
    self.path = path
    self.dialect = dialect
    self.entries = entries
  }

  /// The order file for machines: `orderfile.orderfile/1`.
  ///
  /// - Parameter demangle: adds `demangledName` to the entries whose name it changes.
  package func json(demangle: NameWording? = nil) -> [UInt8] {
    JSONWriter.document { json in
      json.member("dialect", dialect)
      json.array("entries") { json in
        for entry in entries { json.object { write(entry, to: &$0, demangle: demangle) } }
      }
      json.member("path", path)
      json.member("schema", Self.schema)
    }
  }

  private func write(_ entry: Entry, to json: inout JSONWriter, demangle: NameWording?) {
    if let architecture = entry.architecture { json.member("architecture", architecture) }
    if let demangled = demangle?(entry.name), demangled != entry.name.description {
      json.member("demangledName", demangled)
    }
    json.member("line", entry.line)
    json.member("name", entry.name)
    if let objectFile = entry.objectFile { json.member("objectFile", objectFile) }
  }

  /// The order file for people.
  ///
  /// - Parameter width: the terminal's, in columns; `nil` shortens no name.
  package func text(width: Int? = nil, names: NameWording = mangled) -> String {
    var table = Table([.init("LINE", separator: " "), .init("NAME", .left)])
    for entry in entries {
      let limits = [entry.architecture, entry.objectFile].compactMap { $0 }.map { "\($0):" }
      table.add(["\(entry.line)", limits.joined() + names(entry.name)])
    }
    return """
      order file \(printable(path))
        dialect: \(printable(dialect))

      \(counted(entries.count, "entry", "entries")):
      \(table.text(width: width))
      """
  }
}
