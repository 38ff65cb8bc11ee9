import Addresses

/// The object files of an ld64 map, by index.
struct LD64ObjectFiles {
  /// The indexes of the object files, ascending. Linkers omit no index, but tools that shorten a map do.
  private var indexes: [UInt64] = []
  private var paths: [LinkMap.Text] = []

  /// - Returns: `false` if `index` is not above all earlier ones.
  mutating func add(_ index: UInt64, _ path: Range<Int>) -> Bool {
    if let last = indexes.last, index <= last { return false }
    indexes.append(index)
    paths.append(LinkMap.Text(path))
    return true
  }

  /// Extends the path added last by another line, because it contains a line feed.
  ///
  /// - Returns: `false` if no path was added yet.
  mutating func extendLast(to end: Int) -> Bool {
    guard let last = paths.last else { return false }
    paths[paths.count - 1] = LinkMap.Text(last.indices.lowerBound..<end)
    return true
  }

  /// The path of the object file with the index `index`; empty for index 0, which is the linker itself. `nil` if no
  /// object file has the index.
  ///
  /// - Complexity: O(1) if no index is omitted, otherwise O(log *n*) for *n* object files.
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
