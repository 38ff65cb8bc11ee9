import CommandSupport
import ImageModel

/// A document with figures, and its path.
package struct NamedDocument: Sendable {
  package var path: String
  package var document: CommittedDocument

  package init(path: String, _ document: CommittedDocument) {
    self.path = path
    self.document = document
  }

  /// Reads the document at `path`; `-` is stdin.
  package init(reading path: String) throws(Diagnostic) {
    self.init(path: path, try CommittedDocument(parsing: try InputFile.bytes(path), path: path))
  }
}
