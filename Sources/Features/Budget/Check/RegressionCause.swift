import ImageModel
import Rendering

/// A function, library, task, stage or entry that made a figure worse than the figure of the base.
package struct RegressionCause: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// The base does not have the function or library, or did not use it.
    case new
    /// The function has more bytes, or the stage takes more time.
    case grown
    /// The linker placed the function on pages that it shares with fewer other startup functions.
    case moved
    /// An order file placed the function in the base, and does not place it in the new build.
    case noLongerOrdered = "no longer ordered"
    /// The function was the first to touch more pages than in the base.
    case touching
    /// The image lacks the function or data that the entry of the order file names.
    case missing
    case notAllowed = "not allowed"
  }

  package var kind: Kind
  package var name: SymbolName
  /// The bytes that a function has more than in the base; `nil` if they are unknown, or if the cause is no function.
  package var bytes: UInt64?
  /// The pages that a function has more than in the base, or the additional pages that it was the first to touch. The
  /// startup functions on a page have equal shares of the page.
  package var pages: Double?
  /// The reason in words, such as `no such symbol`.
  package var reason: String?
  /// Whether an order file was given that does not place the function.
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

  /// The size, the pages and the reason as text, such as `8.2 KiB, 3 pages, not ordered`.
  package var detail: String {
    var parts: [String] = []
    if let bytes, bytes > 0 { parts.append((kind == .grown ? "+" : "") + ByteCount(bytes).wording) }
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

  /// Whether `a` comes before `b`: new functions first, then by pages, then by bytes, most first; equal causes by kind
  /// and name.
  static func precedes(_ a: Self, _ b: Self) -> Bool {
    func rank(_ kind: Kind) -> Int { Kind.allCases.firstIndex(of: kind) ?? 0 }
    if (a.kind == .new) != (b.kind == .new) { return a.kind == .new }
    let (first, second) = ((a.pages ?? 0, a.bytes ?? 0), (b.pages ?? 0, b.bytes ?? 0))
    return first == second
      ? (rank(a.kind), a.name) < (rank(b.kind), b.name) : first > second
  }
}
