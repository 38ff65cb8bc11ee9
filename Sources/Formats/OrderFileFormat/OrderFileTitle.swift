/// The first line of the comment at the top of an order file that `gen` writes. It names the image that the entries
/// below it are for: the order files of several images can be put into one file.
package enum OrderFileTitle {
  /// How the entries of the order file were placed.
  package enum Placing: String, CaseIterable, Sendable {
    case firstUses = "first uses"
    case balanced = "balanced order"
  }

  /// Returns the first line of an order file, such as `orderfile 0.2.0: first uses of app in 3 launches`.
  package static func text(
    version: String, _ placing: Placing, ofImage image: String, in launches: String
  ) -> String {
    "orderfile \(version): \(placing.rawValue) of \(image) in \(launches)"
  }

  /// The file name of the image that a title names; `nil` for another text.
  ///
  /// - Parameter comment: the text of the comment, without its delimiters.
  static func image(in comment: [UInt8]) -> String? {
    let text = String(decoding: trimmed(comment[...]), as: UTF8.self)
    guard text.hasPrefix("orderfile ") else { return nil }
    for placing in Placing.allCases {
      guard let start = text.firstRange(of: ": \(placing.rawValue) of ")?.upperBound,
        let end = text.ranges(of: " in ").last?.lowerBound, start < end
      else { continue }
      return String(text[start..<end])
    }
    return nil
  }
}
