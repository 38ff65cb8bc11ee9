import ImageModel
import Rendering

extension DiffText {
  /// Returns the costs of the layout after: the parts of the file that grow when functions are split.
  func imageSizes(_ sizes: BeforeAfter<ImageSizes>) -> String {
    var table = Table([
      .init("BYTES", separator: " "), .init("AFTER", separator: " → "), .init("CHANGE"),
      .init("SIZE", .left),
    ])
    func add(_ part: KeyPath<ImageSizes, UInt64>, _ name: String) {
      let bytes = BeforeAfter(
        before: sizes.before[keyPath: part], after: sizes.after[keyPath: part])
      table.add([
        "\(ByteCount(bytes.before))", "\(ByteCount(bytes.after))", bytes.change, name,
      ])
    }
    func counts(_ count: KeyPath<ImageSizes, Int>) -> String {
      "\(sizes.before[keyPath: count]) → \(sizes.after[keyPath: count])"
    }
    add(\.fileBytes, "file (\(counts(\.sections)) sections)")
    add(\.codeBytes, "code")
    add(\.unwindBytes, "unwind tables")
    add(\.symbolTableBytes, "symbol table (\(counts(\.symbols)) symbols)")
    return "\nsizes of the images:\n" + table.text(width: width)
  }
}
