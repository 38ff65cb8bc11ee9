import ImageModel

/// Which image of a file is meant: a universal file holds one for each architecture.
package struct SliceChoice: Sendable {
  /// What the user asks for.
  package var architecture: Architecture?
  /// Images that are known from a trace: a slice that is one of them is meant if the user does not say.
  package var ids: [ImageID]

  package init(_ architecture: Architecture? = nil, knownAs ids: [ImageID] = []) {
    self.architecture = architecture
    self.ids = ids
  }

  /// - Throws: `mismatch` if the one image of the file at `path` is not what the user asks for.
  func check(_ found: Architecture, of path: String) throws(Diagnostic) {
    if let architecture, architecture != found {
      throw Diagnostic(
        "architecture mismatch: expected \(architecture), found \(found)", context: [path],
        severity: .mismatch)
    }
  }
}
