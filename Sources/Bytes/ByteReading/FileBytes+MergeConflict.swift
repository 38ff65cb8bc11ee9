extension FileBytes {
  /// Returns the marker of a merge conflict, as git and diff3 write it, with which the line at `index` begins; `nil` if
  /// the line does not begin with a marker.
  package func mergeConflictMarker(at index: Int) -> StaticString? {
    let markers: [StaticString] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
    return markers.first { hasPrefix($0, at: index) }
  }
}
