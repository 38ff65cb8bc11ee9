import ImageModel
import Rendering

/// A function, library or entry that made a figure worse than that of the base.
package struct RegressionCause: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// The base does not have it, or did not use it.
    case new
    /// It has more bytes.
    case grown
    /// The linker placed it where it shares pages with fewer of the others.
    case moved
    /// The order file placed it in the base.
    case noLongerOrdered = "no longer ordered"
    /// It was the first to touch more pages.
    case touching
    /// The image does not have it.
    case missing
    case notAllowed = "not allowed"
  }

  package var kind: Kind
  package var name: SymbolName
  /// The bytes that it has more than in the base; `nil` if they are unknown, or if it is no function.
  package var bytes: UInt64?
  /// The pages that it has more than in the base, or which it was the first to touch. Of a page with several startup
  /// functions each has an equal share.
  package var pages: Double?
  /// `no such symbol`
  package var reason: String?
  /// Whether an order file was given that does not place it.
  package var isUnordered: Bool

  package init(
    _ kind: Kind, _ name: SymbolName, bytes: UInt64? = nil, pages: Double? = nil,
    reason: String? = nil, isUnordered: Bool = false
  ) {
    self.kind = kind
    self.name = name
    self.bytes = bytes
    self.pages = pages
    self.reason = reason
    self.isUnordered = isUnordered
  }

  /// `8.2Ki, 3 pages, not ordered`
  package var detail: String {
    var parts: [String] = []
    if let bytes, bytes > 0 { parts.append((kind == .grown ? "+" : "") + "\(ByteCount(bytes))") }
    if let pages, pages > 0 {
      let noun = pages == 1 ? "page" : "pages"
      parts.append("\(ShortNumber(pages)) \(kind == .new ? "" : "more ")\(noun)")
    }
    if isUnordered, kind == .new { parts.append("not ordered") }
    if let reason { parts.append(reason) }
    return parts.joined(separator: ", ")
  }

  /// Rounds to two decimals.
  static func rounded(_ pages: Double) -> Double { (pages * 100).rounded() / 100 }

  /// By pages, then by bytes, most first; equal ones by kind and name.
  static func precedes(_ a: Self, _ b: Self) -> Bool {
    func rank(_ kind: Kind) -> Int { Kind.allCases.firstIndex(of: kind) ?? 0 }
    let (first, second) = ((a.pages ?? 0, a.bytes ?? 0), (b.pages ?? 0, b.bytes ?? 0))
    return first == second
      ? (rank(a.kind), a.name) < (rank(b.kind), b.name) : first > second
  }
}
