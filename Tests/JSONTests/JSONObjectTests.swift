import Addresses
import ByteReading
import JSON
import TestSupport
import Testing

@Suite struct JSONObjectTests {
  enum Colour: String, CaseIterable, JSONReadable { case red, green }

  static func object(_ text: String) throws(ParseError) -> JSONObject {
    try JSONObject(document: FileBytes(Array(text.utf8)), schema: "a/1")
  }

  static let example = """
    {"z": {"inner": [1, 2]}, "schema": "a/1", "integer": -7, "big": 18446744073709551615,
     "double": -2.5e3, "flag": true, "address": "0x1f", "colour": "green", "nothing": null}
    """

  @Test func membersAreReadByKeyInAnyOrder() throws {
    let object = try Self.object(Self.example)
    #expect(try object.value("colour") == Colour.green)
    #expect(try object.value("address") == StatedAddress(rawValue: 0x1f))
    #expect(try object.value("flag") == true)
    #expect(try object.value("double") == -2500.0)
    #expect(try object.value("big") == UInt64.max)
    #expect(try object.value("integer") == -7)
    #expect(try object.object("z").value("inner") == [1, 2])
  }

  @Test func nullAndAbsentAreNoValue() throws {
    let object = try Self.object(Self.example)
    for key in ["nothing", "absent"] {
      let value: Int? = try object.optional(key)
      #expect(value == nil)
    }
    let value: Int? = try object.optional("integer")
    #expect(value == -7)
  }

  /// Reads `key` as the kind of value that its first letter asks for.
  static func read(_ key: String, _ object: JSONObject) throws(ParseError) {
    switch key.first {
    case "i": let _: Int = try object.value(key)
    case "u": let _: UInt64 = try object.value(key)
    case "d": let _: Double = try object.value(key)
    case "b": let _: Bool = try object.value(key)
    case "s": let _: String = try object.value(key)
    case "a": let _: StatedAddress = try object.value(key)
    case "c": let _: Colour = try object.value(key)
    default: _ = try object.object(key)
    }
  }

  @Test(arguments: [
    ("i", "1.5", "invalid i: expected a whole number, found 1.5 (at offset 0x17)"),
    ("i", "\"1\"", "invalid i: expected a number, found '\"' (at offset 0x17)"),
    (
      "i", "9223372036854775808",
      "invalid i: expected a whole number, found 9223372036854775808 (at offset 0x17)"
    ),
    ("u", "-1", "invalid u: expected a whole number, found -1 (at offset 0x17)"),
    ("d", "1e999", "invalid d: expected a number, found 1e999 (at offset 0x17)"),
    ("d", "true", "invalid d: expected a number, found true (at offset 0x17)"),
    ("b", "1", "invalid b: expected true or false, found 1 (at offset 0x17)"),
    ("s", "1", "invalid s: expected a string, found '1' (at offset 0x17)"),
    ("a", "\"10\"", "invalid a: expected a hexadecimal address, found '10' (at offset 0x17)"),
    ("a", "\"0x+1\"", "invalid a: expected a hexadecimal address, found '0x+1' (at offset 0x17)"),
    ("c", "\"blue\"", "invalid c: expected one of red, green, found 'blue' (at offset 0x17)"),
    ("o", "[]", "invalid o: expected '{', found '[' (at offset 0x17)"),
    ("i", "1, \"i\": 2", "invalid document: expected each key once, found 'i' again"),
  ])
  func saysWhatIsWrong(key: String, value: String, message: String) {
    let error = #expect(throws: ParseError.self) {
      try Self.read(key, Self.object(#"{"schema": "a/1", "\#(key)": \#(value)}"#))
    }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test func whatIsMissingIsNamed() throws {
    let error = #expect(throws: ParseError.self) {
      try Self.read("i", Self.object(Self.example).object("z"))
    }
    #expect(error?.description == "missing i (at offset 0x6)")
  }

  @Test(arguments: [
    ("{}", "missing schema (at offset 0x0)"),
    (#"{"schema": "b/1"}"#, "invalid schema: expected a/1, found b/1 (at offset 0x0)"),
    (#"{"schema": "a/2"}"#, "invalid schema: expected a/1, found a/2 (at offset 0x0)"),
    (#"{"schema": "a/1"}}"#, "invalid document: expected the end, found '}' (at offset 0x11)"),
  ])
  func anotherSchemaIsRefused(text: String, message: String) {
    let error = #expect(throws: ParseError.self) { try Self.object(text) }
    #expect(error?.description == message)
  }

  @Test func everyPrefixAndFlippedByteNeverTrapsHostile() {
    let bytes = Array(Self.example.utf8)
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count {
      #expect(throws: ParseError.self, "\(length)") {
        try JSONObject(document: FileBytes(Array(bytes[..<length])), schema: "a/1")
      }
    }
    for copy in byteFlips(of: bytes) {
      guard let object = try? JSONObject(document: FileBytes(copy), schema: "a/1") else { continue }
      for key in ["integer", "big", "double", "flag", "address", "colour", "z"] {
        try? Self.read(key, object)
      }
    }
  }
}
