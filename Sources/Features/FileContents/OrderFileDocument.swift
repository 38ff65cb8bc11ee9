import ImageModel
import JSON
import PagesFormat
import Rendering

/// The entries of an order file.
package struct OrderFileDocument: Hashable, Sendable {
  /// One line that names something to order.
  package struct Entry: Hashable, Sendable {
    /// The name of the entry, as it is in the file.
    package var name: SymbolName
    /// The line of the order file, from 1.
    package var line: Int
    /// The object file and the architecture to which the entry is limited; `nil` if it is not limited.
    package var objectFile: SymbolName?
    package var architecture: SymbolName?
    /// Whether the file says that the entry names data.
    package var isData: Bool

    package init(
      name: SymbolName, line: Int, objectFile: SymbolName? = nil, architecture: SymbolName? = nil,
      isData: Bool = false
    ) {
      self.name = name
      self.line = line
      self.objectFile = objectFile
      self.architecture = architecture
      self.isData = isData
    }
  }

  /// One line that names a string.
  package struct StringEntry: Hashable, Sendable {
    /// The hash of the string's bytes, by which ld64.lld finds the string.
    package var hash: UInt32
    /// The line of the order file, from 1.
    package var line: Int

    package init(hash: UInt32, line: Int) {
      self.hash = hash
      self.line = line
    }
  }

  package var path: String
  /// The name of the order file's dialect: `lld`, `gold`.
  package var dialect: String
  package var entries: [Entry]
  package var strings: [StringEntry]

  package init(path: String, dialect: String, entries: [Entry], strings: [StringEntry] = []) {
    self.path = path
    self.dialect = dialect
    self.entries = entries
    self.strings = strings
  }

  /// The number of entries that the file says to be data.
  package var dataEntries: Int { entries.count(where: \.isData) }
}

extension OrderFileDocument: ShownDocument {
  package static let schema = "orderfile.orderfile/1"

  package func write(to json: inout JSONWriter, demangle: NameWording?) {
    json.member("dataEntries", dataEntries)
    json.member("dialect", dialect)
    json.array("entries") { json in
      for entry in entries { json.object { entry.write(to: &$0, demangle: demangle) } }
    }
    json.member("path", path)
    json.member("schema", Self.schema)
    json.array("strings") { json in
      for string in strings {
        json.object { json in
          json.member("hash", Int(string.hash))
          json.member("line", string.line)
        }
      }
    }
  }
}

extension OrderFileDocument.Entry {
  fileprivate func write(to json: inout JSONWriter, demangle: NameWording?) {
    json.optional("architecture", architecture)
    if let demangled = demangle?(name), demangled != name.description {
      json.member("demangledName", demangled)
    }
    if isData { json.member("isData", isData) }
    json.member("line", line)
    json.member("name", name)
    json.optional("objectFile", objectFile)
  }
}
