import ImageModel

extension ImageReference {
  /// Returns why this image can't be the image `expected`: `another architecture: expected x86_64, found arm64`. Names
  /// and paths are not compared.
  ///
  /// - Parameter ofOneBuild: whether both images have to be of the same build.
  /// - Returns: `nil` if the images may be the same, also because too little is known of one of them.
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
