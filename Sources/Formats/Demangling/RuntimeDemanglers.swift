// The thin wrapper around the demanglers of libiberty and the Swift runtime. Both read a name up to its zero
// byte and return a text that the caller frees.

import ByteReading
import CDemangle
import LibC

/// Demangles an Itanium C++ name with libiberty, with parameters and return type. `nil` for a name that libiberty
/// rejects, such as a name of more than about 1000 bytes, and for a text of more than `ParsingLimits.demangledName`
/// bytes.
func demangleItanium(_ name: ArraySlice<UInt8>) -> String? {
  // Without the prefix, libiberty reads a type: `i` is `int`.
  guard name.starts(with: "_Z".utf8) else { return nil }
  return text(of: name) { pointer, _ in
    orderfile_demangle_itanium(pointer, Int(ParsingLimits.demangledName))
  }
}

/// Demangles a Swift name with the Swift runtime. `nil` for a name that the runtime rejects, and for a name whose text
/// may be longer than 4 times `ParsingLimits.demangledName`, because the runtime can't be stopped.
func demangleSwift(_ name: ArraySlice<UInt8>) -> String? {
  guard SwiftTextSize(of: name).bytes <= 4 * ParsingLimits.demangledName else { return nil }
  return text(of: name) { pointer, count in swift_demangle(pointer, count, nil, nil, 0) }
}

private func text(
  of name: ArraySlice<UInt8>,
  _ demangle: (UnsafePointer<CChar>, Int) -> UnsafeMutablePointer<CChar>?
) -> String? {
  // Control bytes are not part of a name: a zero would end it early, and Swift reads 1 to 31 as references
  // into a loaded image.
  guard name.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
  let terminated = name.map { CChar(bitPattern: $0) } + [0]
  let result = terminated.withUnsafeBufferPointer { buffer in
    buffer.baseAddress.flatMap { demangle($0, name.count) }
  }
  guard let result else { return nil }
  defer { free(result) }
  return String(cString: result)
}
