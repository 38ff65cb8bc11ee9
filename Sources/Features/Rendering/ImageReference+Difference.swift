import ImageModel

extension ImageReference {
  /// Why this can't be the image that `expected` is: `another architecture: expected x86_64, found arm64`. Names and paths
  /// are not compared.
  ///
  /// - Parameter ofOneBuild: whether it has to be the same build, too.
  /// - Returns: `nil` also if too little is known of one of them.
  package func difference(from expected: Self, ofOneBuild: Bool) -> String? {
    func found(_ own: String?, _ wanted: String?) -> String {
      "\(printable(wanted ?? "none")), found \(printable(own ?? "none"))"
    }
    switch relation(to: expected) {
    case .anotherArchitecture:
      return
        "another architecture: expected \(found(architecture?.description, expected.architecture?.description))"
    case .anotherBuild where ofOneBuild:
      return "another build: expected the image ID \(found(id, expected.id))"
    case .sameBuild, .anotherBuild, .unproved: return nil
    }
  }
}
