import Addresses
import ImageModel

/// The parts of one layout that launches used, as code or as data. A strategy puts these parts into an order.
package struct UsedParts: Sendable {
  /// A whole launch.
  package struct Launch: Sendable {
    /// The number of launches that used exactly these parts.
    package var weight: UInt64
    /// The parts in the order of first uses.
    package var uses: [Part]

    package init(weight: UInt64, uses: [Part]) {
      self.weight = weight
      self.uses = uses
    }
  }

  /// The whole launches, in the order in which a strategy processes them.
  package var launches: [Launch]
  /// The uses of launches that are not known as a whole, the most used part first. Parts that only these launches use
  /// are last in every order.
  package var others: [Part]

  package init(launches: [Launch] = [], others: [Part] = []) {
    self.launches = launches
    self.others = others
  }

  /// The uses of the whole launches, and then the uses that belong to no whole launch.
  package var all: [Part] { launches.flatMap(\.uses) + others }

  /// The launches, each repeated as often as its weight says. If there are more than 200 launches, the repetitions are
  /// reduced in proportion, to one or two hundred in all.
  var repeatedLaunches: [[Part]] {
    let sum = launches.map(\.weight).saturatingSum()
    return launches.flatMap { launch in
      let count = sum <= 200 ? launch.weight : max(1, launch.weight / (sum / 100))
      return [[Part]](repeating: launch.uses, count: Int(count))
    }
  }

  /// Returns these uses with each part replaced by the result of `other`. Parts for which `other` returns `nil` are
  /// left out.
  package func mapParts(_ other: (Part) -> Part?) -> Self {
    Self(
      launches: launches.map { Launch(weight: $0.weight, uses: $0.uses.compactMap(other)) },
      others: others.compactMap(other))
  }

  /// A previous order, whose parts keep their places where a strategy gains hardly anything (`KeptOrder`).
  package struct Previous {
    /// The parts of the order that the layout has, each by its function's first alias.
    package var parts: [Part]
    /// Whether parts that are not used may stay.
    package var keepsUnused = false
    /// As for `KeptOrder`.
    package var lostPages: Int?

    package init(_ parts: [Part], keepsUnused: Bool = false, lostPages: Int? = nil) {
      self.parts = parts
      self.keepsUnused = keepsUnused
      self.lostPages = lostPages
    }
  }

  /// Returns the parts in the order of `strategy`, or in their previous order where `strategy` gains hardly anything,
  /// and what is then predicted.
  ///
  /// - Parameter size, precedingBytes: as for `BalancedOrder`.
  package func ordered(
    by strategy: OrderStrategy, keeping previous: Previous, in layout: Layout,
    size: ((Part) -> UInt64)? = nil, precedingBytes: UInt64 = 0
  ) -> (parts: [Part], prediction: KeptPrediction) {
    let order = ordered(by: strategy, in: layout, size: size, precedingBytes: precedingBytes)
    let isOrdered = Set(order)
    let kept = KeptOrder(
      order,
      previous: previous.keepsUnused ? previous.parts : previous.parts.filter(isOrdered.contains),
      launches: repeatedLaunches, layout: layout, size: size, precedingBytes: precedingBytes,
      lostPages: previous.lostPages)
    return (kept.parts, kept.prediction)
  }

  /// Returns the parts in the order of `strategy`.
  ///
  /// - Parameter size, precedingBytes: as for `BalancedOrder`.
  package func ordered(
    by strategy: OrderStrategy, in layout: Layout, size: ((Part) -> UInt64)? = nil,
    precedingBytes: UInt64 = 0
  ) -> [Part] {
    var order = MergedLaunches()
    switch strategy {
    case .firstHit: for launch in launches { order.append(launch.uses, in: layout) }
    case .balanced:
      order.append(
        BalancedOrder(
          repeatedLaunches, layout: layout, size: size, precedingBytes: precedingBytes
        ).parts, in: layout)
    }
    order.append(others, in: layout)
    return order.parts
  }
}
