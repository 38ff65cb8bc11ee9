/// The lines of an order file that change when items leave their places in the previous file, at a price for each line.
///
/// Items are numbered in the order of the previous file. Items that are in the same order in both files keep their lines.
/// So the lines that stay are those of an ascending subsequence of the items: of the one with the most lines.
struct PricedLines {
  /// The price of a line, in 1/256 of a page.
  let price: Int
  /// For each item the number of lines that change if the item leaves its place.
  private let lines: [Int]
  private let count: Int
  /// A Fenwick tree of maxima: by the last item of an ascending subsequence, the most lines that stay.
  private var heaviest: [Int]

  init(_ lines: [Int], price: Int = 0) {
    self.price = price
    self.lines = lines
    count = lines.reduce(0, +)
    heaviest = [Int](repeating: 0, count: lines.count + 1)
  }

  /// The approximate number of steps that computing a cost takes.
  var steps: Int { 4 * lines.count }

  /// Returns the price of the lines that change, in pages.
  ///
  /// - Complexity: as for `changed`.
  mutating func cost(of order: [Int]) -> Int { (price * changed(in: order)) >> 8 }

  /// Returns the number of lines that change.
  ///
  /// - Parameter order: items, each at most once. Items that are left out have left their places.
  /// - Complexity: O(*n* log *n*) for *n* items.
  mutating func changed(in order: [Int]) -> Int {
    for node in heaviest.indices { heaviest[node] = 0 }
    var most = 0
    for item in order where lines[item] > 0 {
      var staying = 0
      var node = item
      while node > 0 {
        staying = max(staying, heaviest[node])
        node &= node - 1
      }
      staying += lines[item]
      most = max(most, staying)
      node = item + 1
      while node < heaviest.count, heaviest[node] < staying {
        heaviest[node] = staying
        node += node & -node
      }
    }
    return count - most
  }
}
