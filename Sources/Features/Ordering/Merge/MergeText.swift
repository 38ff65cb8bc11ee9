import Rendering

/// The note about a profile that was written.
package struct MergeText {
  package let text: String

  /// - Parameter files: the number of traces and profiles that were folded to the profile.
  package init(_ document: ProfileDocument, files: Int) {
    let path = printable(document.path)
    let next = document.path == "-" ? "" : "; next: orderfile gen \(path) -o app.order"
    text = "merged \(counted(files, "file")): \(document.summary): \(path)\(next)"
  }
}
