extension String {
  /// Replaces the scalars for which `replacement` is not `nil`.
  ///
  /// Formats define scalars, not `Character`s: a quote before a combining mark is still a quote, but another
  /// `Character`.
  package func escapingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var escaped = "".unicodeScalars
    for scalar in unicodeScalars {
      if let text = replacement(scalar) {
        escaped.append(contentsOf: text.unicodeScalars)
      } else {
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
