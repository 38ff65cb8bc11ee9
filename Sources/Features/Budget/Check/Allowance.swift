import ImageModel

/// How much worse than in the base a figure may be, as the budget states it: `+2`, `+2%`, `-1%`.
package struct Allowance: Hashable, Sendable, CustomStringConvertible {
  /// Whether the allowance permits a smaller figure instead of a larger one: for figures that are better if they are
  /// higher.
  package var isLess: Bool
  package var amount: Bound

  package init(isLess: Bool, amount: Bound) {
    self.isLess = isLess
    self.amount = amount
  }

  /// - Returns: `nil` for anything but a sign and a whole number, or a sign and a percentage.
  package init?(_ text: String) {
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let rest = text.dropFirst()
    if rest.hasSuffix("%") {
      guard let share = Share(rest) else { return nil }
      amount = .share(share)
    } else {
      guard !rest.isEmpty, rest.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let count = Int(rest),
        count <= Bound.largest
      else { return nil }
      amount = .count(count)
    }
    isLess = sign == "-"
  }

  package var description: String { (isLess ? "-" : "+") + amount.description }

  /// Whether `value` is at most this much worse than `base`. A percentage is relative to `base`. For a share, a
  /// percentage means percentage points.
  package func allows(_ value: Double, base: Double, isShare: Bool) -> Bool {
    let loss = isLess ? base - value : value - base
    switch amount {
    case .count(let count): return loss <= Double(count) + Bound.tolerance
    case .share(let share):
      return loss <= (isShare ? share.ratio : base * share.ratio) + Bound.tolerance
    }
  }
}

/// A number that a budget states as a limit: `150`, or for shares `"5%"`.
package enum Bound: Hashable, Sendable, CustomStringConvertible {
  case count(Int)
  case share(Share)

  /// The largest count. All counts up to this one are exact in JSON.
  static let largest = 1 << 53
  /// The tolerance of comparisons. It is far below the smallest difference of two shares, or of a count and a
  /// percentage of a count, and far above the error of their computation.
  static let tolerance = 1e-9

  package var isShare: Bool { if case .share = self { true } else { false } }

  package var value: Double {
    switch self {
    case .count(let count): Double(count)
    case .share(let share): share.ratio
    }
  }

  package var description: String {
    switch self {
    case .count(let count): "\(count)"
    case .share(let share): share.description
    }
  }
}
