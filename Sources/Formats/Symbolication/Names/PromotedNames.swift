import ByteReading
import Demangling
import ImageModel

/// The local functions of a layout to which link-time optimization gave a global name, by their original
/// names: `hidden` finds `hidden.llvm.123`, and `hidden.llvm.123.cfi`.
///
/// Instrumentation affects what ThinLTO imports, and so what it promotes: if the recorded build has two local functions
/// `hidden`, one may be `hidden` in the release build and the other `hidden.llvm.123`.
struct PromotedNames: Sendable {
  private let index: NameIndex
  /// The function of each entry of the index.
  private let functions: [Int]

  /// - Complexity: O(*n*) for *n* functions if none is promoted.
  init(_ layout: Layout) {
    var functions: [Int] = []
    var names: [NameReference] = []
    let bytes = layout.names.bytes
    for (position, function) in layout.functions.enumerated() {
      let start = Int(function.name.offset)
      let end = start + Int(function.name.count)
      guard end > start, Self.mayEndPromotedName(bytes[end - 1]) else { continue }
      let ending = NameEnding(of: bytes, in: start..<end)
      guard ending.cuts.subtracting(.controlFlowIntegrity) == .promotion else { continue }
      functions.append(position)
      names.append(
        NameReference(offset: function.name.offset, count: UInt32(ending.baseEnd - start)))
    }
    self.functions = functions
    index = NameIndex(names, in: layout.names)
  }

  /// Whether `byte` may be the last byte of a number, of a hash, of `.cfi` or of `.cfi_jt`.
  private static func mayEndPromotedName(_ byte: UInt8) -> Bool {
    isLowerHexDigit(byte) || byte == UInt8(ascii: "i") || byte == UInt8(ascii: "t")
  }

  /// Returns the functions that were promoted from `name`, as indexes into the layout's functions, ascending.
  func functions(from name: SymbolName) -> [Int] { index.entries(name.bytes).map { functions[$0] } }
}
