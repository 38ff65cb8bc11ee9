import Addresses
import ImageModel
import JSON
import Rendering

/// How much code of the functions that ran has no map of basic blocks, and stays whole: precompiled libraries,
/// assembly.
package struct UnmappedCode: Hashable, Sendable {
  /// The functions without a map that ran, and their size in bytes.
  package var functions = 0
  package var bytes: UInt64 = 0
  /// All functions that ran.
  package var ofFunctions = 0
  package var ofBytes: UInt64 = 0

  package init() {}

  package static func + (a: UnmappedCode, b: UnmappedCode) -> UnmappedCode {
    var sum = a
    sum.functions += b.functions
    sum.ofFunctions += b.ofFunctions
    sum.bytes = [a.bytes, b.bytes].saturatingSum()
    sum.ofBytes = [a.ofBytes, b.ofBytes].saturatingSum()
    return sum
  }

  mutating func add(_ function: PlacedSymbol, hasMap: Bool) {
    var one = UnmappedCode()
    (one.ofFunctions, one.ofBytes) = (1, function.knownBytes)
    if !hasMap { (one.functions, one.bytes) = (1, function.knownBytes) }
    self = self + one
  }

  /// `9 of 31 functions that ran (12.1 KiB of 40 KiB) have no map of basic blocks, and stay whole`; `nil` if all
  /// functions have a map.
  package var text: String? {
    guard functions > 0 else { return nil }
    let sizes = "\(ByteCount(bytes).wording) of \(ByteCount(ofBytes).wording)"
    return "\(functions) of \(counted(ofFunctions, "function")) that ran (\(sizes)) have no map of "
      + "basic blocks, and stay whole"
  }
}

extension UnmappedCode: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("bytes", bytes)
    json.member("functions", functions)
    json.member("ofBytes", ofBytes)
    json.member("ofFunctions", ofFunctions)
  }
}
