import Addresses
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct JSONWriterTests {
  /// The text that stands between the quotes for a name of these bytes.
  static func written(_ bytes: [UInt8]) -> String {
    let document = JSONWriter.document { $0.member("k", bytes[...]) }
    let text = String(decoding: document, as: UTF8.self)
    return String(text.dropFirst("{\n  \"k\": \"".count).dropLast("\"\n}\n".count))
  }

  @Test func membersStandOnLinesAndElementsInThem() {
    let document = JSONWriter.document { json in
      json.array("array") { json in
        json.element(1)
        json.object { json in
          json.array("inner") { json in
            json.element("x")
            json.element("y")
          }
          json.member("key", true)
        }
      }
      json.array("empty") { _ in }
      json.object("object") { json in
        json.member("address", StatedAddress(rawValue: 0x1000))
        json.member("duration", -0.15)
        json.member("size", UInt64.max)
      }
      json.object("objectless") { _ in }
    }
    #expect(
      String(decoding: document, as: UTF8.self) == """
        {
          "array": [
            1,
            {"inner": ["x", "y"], "key": true}
          ],
          "empty": [],
          "object": {
            "address": "0x1000",
            "duration": -0.15,
            "size": 18446744073709551615
          },
          "objectless": {}
        }

        """)
  }

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a\"b\\c", "a\\\"b\\\\c"), ("\n\r\t", "\\n\\r\\t"),
    ("\u{0}\u{1f}\u{7f}", "\\u0000\\u001f\u{7f}"), ("größe λ 🚀", "größe λ 🚀"),
    ("é\n", "é\\n"),
  ])
  func charactersAreEscapedAsTheStandardAsks(name: String, expected: String) {
    #expect(Self.written(Array(name.utf8)) == expected)
  }

  @Test(
    arguments: [
      ([0x61, 0xff, 0x62], "a\u{fffd}b"), ([0xc3], "\u{fffd}"), ([0xe2, 0x82], "\u{fffd}"),
      ([0xff, 0x0a, 0x22], "\u{fffd}\\n\\\""), ([0xc0, 0x80], "\u{fffd}\u{fffd}"),
    ] as [([UInt8], String)])
  func bytesThatAreNotUTF8BecomeReplacementCharacters(bytes: [UInt8], expected: String) {
    #expect(Self.written(bytes) == expected)
  }

  @Test func everyNameComesBackFromAnIndependentParser() throws {
    var random = SeededRandom(seed: 41)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let document = JSONWriter.document { json in
        json.member("copy", bytes[...])
        json.member("slice", ([1, 2] + bytes)[2...])
        json.member("text", text)
      }
      let value = try parsedJSON(document)
      #expect(value["copy"] as? String == text, "seed 41")
      #expect(value["slice"] as? String == text, "seed 41")
      #expect(value["text"] as? String == text, "seed 41")
    }
  }

  @Test func membersAreSortedWhateverTheOrderOfCalls() {
    func written(_ keys: [StaticString]) -> [UInt8] {
      JSONWriter.document { json in
        for key in keys {
          json.object(key) { json in
            for key in keys {
              json.array(key) { json in
                json.object { json in for key in keys { json.member(key, "}],{[\"\\") } }
                json.element("a, \"b\": ")
              }
            }
          }
        }
      }
    }
    let sorted: [StaticString] = ["a", "aB", "ab", "b", "schema"]
    let expected = written(sorted)
    var random = SeededRandom(seed: 7)
    for _ in 0..<20 {
      #expect(written(sorted.shuffled(using: &random)) == expected, "seed 7")
    }
  }

  /// Writes an array of objects that have `keys`: a document of several pieces.
  private static func write(_ keys: [StaticString], to sink: @escaping ([UInt8]) -> Void) {
    JSONWriter.document(to: sink) { json in
      json.array("k") { json in
        for _ in 0..<16_000 {
          json.object { json in for key in keys { json.member(key, "0123456789abcdef") } }
        }
      }
      json.member("z", 1)
    }
  }

  @Test func elementsAreSortedAlsoInPieces() {
    var (pieces, sorted): ([[UInt8]], [[UInt8]]) = ([], [])
    Self.write(["c", "a", "b"]) { pieces.append($0) }
    Self.write(["a", "b", "c"]) { sorted.append($0) }
    #expect(pieces.count > 1)
    #expect(pieces == sorted)
  }

  /// An object with a key out of order before a long array is not sent until the object ends.
  @Test func anUnsortedObjectIsNotSentBeforeItEnds() {
    var text: [UInt8] = []
    let sink = { text += $0 }
    JSONWriter.document(to: sink) { json in
      json.member("z", 1)
      json.array("a") { json in for _ in 0..<3 { json.object { $0.member("key", 1) } } }
      json.member("b", 1)
    }
    #expect(
      String(decoding: text, as: UTF8.self) == """
        {
          "a": [
            {"key": 1},
            {"key": 1},
            {"key": 1}
          ],
          "b": 1,
          "z": 1
        }

        """)
  }

  /// The key traps after a short array, too, so that a test with few elements finds the mistake.
  @Test func aKeyThatBelongsBeforeASentArrayTraps() async {
    await #expect(processExitsWith: .failure) {
      let sink: ([UInt8]) -> Void = { _ in }
      JSONWriter.document(to: sink) { json in
        json.array("k") { json in json.object { $0.member("key", 1) } }
        json.member("a", 1)
      }
    }
  }

  @Test func aKeyRepeatedAfterAnotherTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = JSONWriter.document { json in
        json.member("b", 1)
        json.member("a", 1)
        json.member("b", 1)
      }
    }
  }

  @Test func repeatedKeysTrap() async {
    await #expect(processExitsWith: .failure) {
      _ = JSONWriter.document { json in
        json.member("a", 1)
        json.member("a", 1)
      }
    }
  }
}
