import Addresses
import ImageModel
import JSON
import Ordering
import PagesFormat
import Rendering

/// The payloads in a file: `orderfile show` of payloads.
///
/// The functions are listed only if the file has a single payload, which is the launch of one device. The launches of
/// several devices are folded by `orderfile merge`, which leaves out what few devices ran.
package struct PayloadDocument: Hashable, Sendable {
  package struct Image: Hashable, Sendable {
    package var id: String?
    package var guardCount: Int
    package var hash: UInt64
    /// The path of the recorded image, if it was given; else `nil`.
    package var path: String?
    /// The number of payloads that have this image.
    package var payloads = 0
    /// The number of payloads in which the image is the program.
    package var programs = 0

    package init(
      id: String?, guardCount: Int, hash: UInt64, path: String?, payloads: Int = 0,
      programs: Int = 0
    ) {
      self.id = id
      self.guardCount = guardCount
      self.hash = hash
      self.path = path
      self.payloads = payloads
      self.programs = programs
    }
  }

  /// A function that ran.
  package struct Function: Hashable, Sendable {
    /// Index into `images`.
    package var image: Int
    package var guardIndex: Int
    package var quarter: Int
    /// The address and the names; `nil` and empty unless the recorded image was given.
    package var address: StatedAddress?
    package var names: [SymbolName]

    package init(
      image: Int, guardIndex: Int, quarter: Int, address: StatedAddress?, names: [SymbolName]
    ) {
      self.image = image
      self.guardIndex = guardIndex
      self.quarter = quarter
      self.address = address
      self.names = names
    }
  }

  /// The only payload of the file.
  package struct Launch: Hashable, Sendable {
    package var end: String
    package var memoryClass: Int?
    package var hasToken: Bool
    package var omittedImages: Int
    /// The functions that ran, by image and guard.
    package var functions: [Function]

    package init(
      end: String, memoryClass: Int?, hasToken: Bool, omittedImages: Int, functions: [Function]
    ) {
      self.end = end
      self.memoryClass = memoryClass
      self.hasToken = hasToken
      self.omittedImages = omittedImages
      self.functions = functions
    }
  }

  package var path: String
  /// The number of payloads that can be read.
  package var payloads = 0
  /// The numbers of payloads that can't be read.
  package var truncated = 0
  package var damaged = 0
  package var laterVersions = 0
  package var images: [Image] = []
  /// `nil` if the file has several payloads.
  package var launch: Launch?

  package init(path: String) { self.path = path }
}

extension PayloadDocument: ShownDocument {
  package static let schema = "orderfile.payload/1"

  package func write(to json: inout JSONWriter, demangle: NameWording?) {
    json.member("damaged", damaged)
    json.array("images") { json in
      for image in images {
        json.object { json in
          json.member("guardCount", image.guardCount)
          json.member("hash", "0x" + String(image.hash, radix: 16))
          if let id = image.id { json.member("id", id) }
          if let path = image.path { json.member("path", path) }
          json.member("payloads", image.payloads)
          json.member("programs", image.programs)
        }
      }
    }
    json.member("laterVersions", laterVersions)
    if let launch { json.object("launch") { launch.write(to: &$0, demangle) } }
    json.member("path", path)
    json.member("payloads", payloads)
    json.member("schema", Self.schema)
    json.member("truncated", truncated)
  }
}

extension PayloadDocument.Launch {
  fileprivate func write(to json: inout JSONWriter, _ demangle: NameWording?) {
    json.member("end", end)
    json.array("functions") { json in
      for function in functions {
        json.object { json in
          json.optional("address", function.address)
          if let demangle {
            json.array("demangledNames") { json in
              for name in function.names { json.element(demangle(name)) }
            }
          }
          json.member("guard", function.guardIndex)
          json.member("image", function.image)
          json.member("names", function.names)
          json.member("quarter", function.quarter)
        }
      }
    }
    json.member("hasToken", hasToken)
    if let memoryClass { json.member("memoryClass", memoryClass) }
    json.member("omittedImages", omittedImages)
  }
}
