/// The lines of an order file that change when items leave their places in the previous file, at a price for each line.
///
/// Items are numbered in the order of the previous file. Items that are in the same order in both files keep their lines.
/// Such items are an ascending subsequence of the numbers, and the subsequence with the most lines counts.
///
/// A search tries many small changes of one order. This order is *settled* first. Then the lines of a changed order are
/// counted only between the stops around the change (`OrderStops`).
struct PricedLines {
  /// The price of a line, in 1/256 of a page.
  let price: Int
  /// For each item the number of lines that change if the item leaves its place.
  private let lines: [Int]
  private let count: Int

  // The settled order, and the lines that stay before and after each of its stops.
  private let stops: OrderStops
  private var before: [AscendingLines]
  /// For each stop and each item, the most lines of an ascending subsequence after the stop whose items are all at least
  /// this item; then 0.
  private var after: [[Int]]
  private var now = AscendingLines()

  init(_ lines: [Int], price: Int) {
    self.price = price
    self.lines = lines
    count = lines.reduce(0, +)
    stops = OrderStops(lines.count)
    before = Array(repeating: AscendingLines(), count: stops.count)
    let none = [Int](repeating: 0, count: lines.count + 1)
    after = Array(repeating: none, count: stops.count)
  }

  /// The approximate number of steps that computing a cost takes.
  var steps: Int { 4 * lines.count }

  /// Returns the price of the lines that change, in pages.
  ///
  /// - Parameter places: as for `changed`.
  mutating func cost(of order: [Int], changedIn places: Range<Int>) -> Int {
    (price * changed(in: order, changedIn: places)) >> 8
  }

  /// Returns the number of lines that change.
  ///
  /// - Parameters:
  ///   - order: all items.
  ///   - places: the places whose items may differ from the settled order.
  /// - Complexity: O(*n* log *n*) for *n* items.
  mutating func changed(in order: [Int], changedIn places: Range<Int>) -> Int {
    let (from, to) = stops.around(places)
    now.copy(before[from])
    for place in stops.place(from)..<stops.place(to) {
      now.append(order[place], lines: lines[order[place]])
    }
    return count - now.most(with: after[to])
  }

  /// Settles an order: later orders are compared with it.
  ///
  /// - Parameter places: as for `changed`.
  mutating func settle(_ order: [Int], changedIn places: Range<Int>) {
    let (from, to) = stops.around(places)
    now.copy(before[from])
    for stop in from..<stops.count - 1 {
      for place in stops.place(stop)..<stops.place(stop + 1) {
        now.append(order[place], lines: lines[order[place]])
      }
      before[stop + 1] = now
    }
    // From the end, with the numbers in reverse.
    now = AscendingLines()
    let last = lines.count - 1
    for stop in (0..<stops.count - 1).reversed() {
      for place in (stops.place(stop)..<stops.place(stop + 1)).reversed() {
        now.append(last - order[place], lines: lines[order[place]])
      }
      guard stop < to else { continue }
      after[stop] = now.mostLines(count: lines.count).reversed() + [0]
    }
  }
}
