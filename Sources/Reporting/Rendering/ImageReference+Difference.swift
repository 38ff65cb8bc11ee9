import ImageModel

extension ImageReference {
  /// Why this can't be the image that `expected` is: `another architecture: expected x86_64, found arm64`. Names and paths
  /// are not compared.
  ///
  /// - Parameter ofOneBuild: whether it has to be the same build, too.
  /// - Returns: `nil` also if too little is known of one of them.
  package func difference(from expected: Self, ofOneBuild: Bool) -> String? {
    if let found = architecture?.description, let wanted = expected.architecture?.description,
      found != wanted
    {
      return "another architecture: expected \(printable(wanted)), found \(printable(found))"
    }
    if ofOneBuild, hasProof, expected.hasProof, let found = id, let wanted = expected.id,
      found != wanted
    {
      return "another build: expected the image ID \(printable(wanted)), found \(printable(found))"
    }
    return nil
  }
}
