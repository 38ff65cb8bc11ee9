import Demangling
import ImageModel

extension NameIndex {
  /// The functions of a layout by canonical name. The bytes are the layout's own, except for Rust v0 names, whose
  /// canonical form is not part of the name and is appended.
  ///
  /// - Complexity: O(*b*) for *b* bytes in all names.
  package init(canonicalNamesOf layout: Layout) {
    var table = layout.names
    let keys = layout.functions.map { function -> NameReference in
      let start = Int(function.name.offset)
      let ending = NameEnding(
        of: layout.names.bytes, in: start..<start + Int(function.name.count))
      if let path = ending.rustV0Path(in: layout.names.bytes, from: start),
        let reference = table.append(path)
      {
        return reference
      }
      return NameReference(
        offset: function.name.offset, count: UInt32(ending.baseEnd - start))
    }
    self.init(keys, in: table)
  }
}
