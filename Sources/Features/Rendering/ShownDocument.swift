import JSON

/// A document that `orderfile show` prints; it can add demangled names.
package protocol ShownDocument: JSONDocument {
  /// - Parameter demangle: adds a member for each name that it changes; `nil` adds none.
  func write(to json: inout JSONWriter, demangle: NameWording?)
}

extension ShownDocument {
  package func writeMembers(to json: inout JSONWriter) {
    write(to: &json, demangle: nil)
  }

  package func json(demangle: NameWording?, to sink: @escaping ([UInt8]) -> Void) {
    JSONWriter.document(to: sink) { write(to: &$0, demangle: demangle) }
  }
}
