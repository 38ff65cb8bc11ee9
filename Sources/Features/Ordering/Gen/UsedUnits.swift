import Addresses
import CommandSupport
import FunctionOrder
import ImageModel
import OrderFileFormat
import OrderFileMatching
import Symbolication

/// The functions that launches used, in units that are placed as a whole, to be put into an order.
struct UsedUnits {
  /// The units that launches used. A unit represents all of its functions.
  private let used: UsedParts
  private let layout: Layout
  /// The units of functions that a linker moves together; `nil` if each function is a unit.
  private let units: MovedUnits?
  /// Used functions whose place no order changes.
  private let fixed: [Part]
  private let bytes: (Part) -> UInt64
  /// The size of the functions that the order file lists before the first unit.
  private let precedingBytes: UInt64

  /// Makes each function a unit, whose size is what `bytes` returns.
  init(_ used: UsedParts, in release: ReleaseLayout, bytes: @escaping (Part) -> UInt64) {
    self.used = used
    layout = release.layout
    units = nil
    fixed = []
    self.bytes = bytes
    precedingBytes = 0
  }

  /// Makes units of the functions that a linker moves together. Initializers that no launch used are listed first
  /// (`OrderedParts`).
  init(
    _ functions: UsedParts, in release: ReleaseLayout, movedBy dialect: OrderFileDialect,
    names map: SymbolMap
  ) {
    let layout = release.layout
    var used = MergedLaunches()
    for launch in functions.launches { used.append(launch.uses, in: layout) }
    used.append(functions.others, in: layout)
    var initializers = MergedLaunches()
    initializers.append(
      release.initializers.compactMap { layout.functions(at: $0).first.map { Part($0) } }
        .filter { !used.contains($0) }, in: layout)
    let units = MovedUnits(of: initializers.parts + used.parts, in: map, for: dialect)
    var isFirst: Set<Part> = []
    let first = initializers.parts.compactMap(units.unit).filter { isFirst.insert($0).inserted }
    func unit(of part: Part) -> Part? {
      units.unit(of: part).flatMap { !isFirst.isEmpty && isFirst.contains($0) ? nil : $0 }
    }
    self.used = functions.mapParts(unit)
    self.layout = layout
    self.units = units
    fixed = used.parts.filter { unit(of: $0) == nil }
    bytes = units.byteCount
    let alignment = first.first.map {
      layout.alignment(inSection: Int(layout.functions[$0.function].section))
    }
    precedingBytes = first.map { units.byteCount(of: $0).aligned(to: alignment ?? 1) }
      .saturatingSum()
  }

  /// Returns the functions in the order of `strategy`, or in their previous order where `strategy` gains hardly anything,
  /// and what is then predicted; `nil` without a previous order.
  ///
  /// - Parameters:
  ///   - leavesOutRare: whether functions of the previous order that are not used are left out.
  ///   - lostPages: as for `KeptOrder`.
  func ordered(
    by strategy: OrderStrategy, previous: PreviousOrder?, leavesOutRare: Bool, lostPages: Int?
  ) -> (parts: [Part], prediction: KeptPrediction?) {
    func parts(_ order: [Part]) -> [Part] {
      order.flatMap { units?.parts(of: $0) ?? [$0] } + fixed
    }
    guard let previous else {
      let order = used.ordered(
        by: strategy, in: layout, size: bytes, precedingBytes: precedingBytes)
      return (parts(order), nil)
    }
    let known = previous.parts.map(layout.canonical).filter { !fixed.contains($0) }
      .map { units?.unit(of: $0) ?? $0 }
    let kept = used.ordered(
      by: strategy,
      keeping: UsedParts.Previous(known, keepsUnused: !leavesOutRare, lostPages: lostPages),
      in: layout, size: bytes, precedingBytes: precedingBytes)
    return (parts(kept.parts), kept.prediction)
  }
}
