extension FileBytes {
  /// The marker of a merge conflict, as git and diff3 write them, with which the line at `index` begins; `nil` if it begins
  /// with none.
  package func mergeConflictMarker(at index: Int) -> StaticString? {
    let markers: [StaticString] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
    return markers.first { hasPrefix($0, at: index) }
  }
}
