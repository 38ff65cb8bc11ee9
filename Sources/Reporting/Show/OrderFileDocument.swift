import ImageModel
import JSON
import PagesFormat

/// The entries of an order file.
package struct OrderFileDocument: Hashable, Sendable {
  /// One line that names something to order.
  package struct Entry: Hashable, Sendable {
    /// The name as in the file.
    package var name: SymbolName
    /// The line number, from 1.
    package var line: Int
    /// The object file and the architecture to which the entry is limited; `nil` if it is not.
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
  /// The dialect: `lld`, `gold`.
  package var dialect: String
  package var entries: [Entry]

  package init(path: String, dialect: String, entries: [Entry]) {
    self.path = path
    self.dialect = dialect
    self.entries = entries
  }
}

extension OrderFileDocument: ShownDocument {
  package static let schema = "orderfile.orderfile/1"

  package func write(to json: inout JSONWriter, demangle: NameWording?) {
    json.member("dialect", dialect)
    json.array("entries") { json in
      for entry in entries { json.object { entry.write(to: &$0, demangle: demangle) } }
    }
    json.member("path", path)
    json.member("schema", Self.schema)
  }
}

extension OrderFileDocument.Entry {
  fileprivate func write(to json: inout JSONWriter, demangle: NameWording?) {
    if let architecture { json.member("architecture", architecture) }
    if let demangled = demangle?(name), demangled != name.description {
      json.member("demangledName", demangled)
    }
    json.member("line", line)
    json.member("name", name)
    if let objectFile { json.member("objectFile", objectFile) }
  }
}
