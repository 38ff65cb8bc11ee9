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

  @Test func unsortedKeysTrap() async {
    await #expect(processExitsWith: .failure) {
      _ = JSONWriter.document { json in
        json.member("b", 1)
        json.member("a", 1)
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
