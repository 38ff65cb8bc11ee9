import Addresses

/// The object files of a map of ld64 by the indexes that it gives them.
struct LD64ObjectFiles {
  /// Ascending. Linkers leave out no index; tools that cut a map short do.
  private var indexes: [UInt64] = []
  private var paths: [LinkMap.Text] = []

  /// - Returns: `false` if `index` is not above all before.
  mutating func add(_ index: UInt64, _ path: Range<Int>) -> Bool {
    if let last = indexes.last, index <= last { return false }
    indexes.append(index)
    paths.append(LinkMap.Text(path))
    return true
  }

  /// Takes another line into the path added last, one with a line feed.
  ///
  /// - Returns: `false` if there is none.
  mutating func extendLast(to end: Int) -> Bool {
    guard let last = paths.last else { return false }
    paths[paths.count - 1] = LinkMap.Text(last.indices.lowerBound..<end)
    return true
  }

  /// The path of the object file with that index; empty for index 0, which stands for what the linker made
  /// itself. `nil` if there is none.
  ///
  /// - Complexity: O(1) if no index is left out, O(log *n*) for *n* object files otherwise.
  func path(_ index: UInt64) -> LinkMap.Text? {
    guard let position = position(of: index) else { return nil }
    return index == 0 ? LinkMap.Text(0..<0) : paths[position]
  }

  private func position(of index: UInt64) -> Int? {
    if index < UInt64(indexes.count), indexes[Int(index)] == index { return Int(index) }
    let position = indexes.partitioningIndex { $0 >= index }
    return position < indexes.count && indexes[position] == index ? position : nil
  }
}
