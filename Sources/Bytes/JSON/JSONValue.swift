import Addresses

/// A value that a `JSONWriter` can write.
package protocol JSONValue: SendableMetatype {
  func write(to json: inout JSONWriter)
}

/// A value that is written as an object. `JSONReadableObject` is the protocol for reading.
package protocol JSONWritableObject: JSONValue {
  /// Adds the members, in any order.
  func writeMembers(to json: inout JSONWriter)
}

extension JSONWritableObject {
  package func write(to json: inout JSONWriter) {
    json.writeObject(writeMembers)
  }
}

// MARK: Values

extension Int: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: String(self)) }
}

extension UInt64: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: String(self)) }
}

extension Double: JSONValue {
  /// Writes the shortest decimal number that reads back as the same value; `null` for a value that JSON cannot
  /// represent.
  package func write(to json: inout JSONWriter) {
    json.write(literal: isFinite ? description : "null")
  }
}

extension Bool: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(fixed: self ? "true" : "false") }
}

/// A value that may be unknown: `nil` is written as `null`.
extension Optional: JSONValue where Wrapped: JSONValue {
  package func write(to json: inout JSONWriter) {
    if let self { self.write(to: &json) } else { json.write(fixed: "null") }
  }
}

extension Array: JSONValue where Element: JSONValue {
  package func write(to json: inout JSONWriter) {
    json.writeArray { json in for element in self { json.element(element) } }
  }
}

/// An enumeration, written as the raw value of its case.
extension JSONValue where Self: RawRepresentable, RawValue == String {
  package func write(to json: inout JSONWriter) { rawValue.write(to: &json) }
}

extension String: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(text: Array(utf8)[...]) }
}

extension StatedAddress: JSONValue {
  /// Writes the address as a string, because many readers store numbers as 64-bit floats, which cannot represent all
  /// addresses.
  package func write(to json: inout JSONWriter) { json.write(hexadecimal: rawValue) }
}
