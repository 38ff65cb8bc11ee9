import Addresses

/// The identity of a linked image, which distinguishes it from other builds.
package struct ImageID: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// The build ID of ELF: `.note.gnu.build-id`.
    case buildID = 1
    /// The UUID of Mach-O: `LC_UUID`.
    case uuid = 2
    /// FNV-1a of the program headers or load commands, for an image without a build ID or UUID. It is the
    /// same for the stripped and the unstripped file, but does not prove that two images are the same.
    case weak = 3
  }
  package var kind: Kind
  package var bytes: [UInt8]

  /// The format of images with this kind of ID; `nil` for a weak ID, which an image of any format can have.
  package var imageFormat: ImageFormat? {
    switch kind {
    case .buildID: .elf
    case .uuid: .machO
    case .weak: nil
    }
  }

  package init(kind: Kind, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }
}

extension ImageID: LosslessStringConvertible {
  /// Makes the ID that has the given description; `nil` if there is none.
  package init?(_ description: String) {
    let digits = Array(
      (description.hasPrefix("weak:") ? description.dropFirst(5) : description[...]).utf8
    )
    .filter { $0 != UInt8(ascii: "-") }
    guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[place..<place + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    let kind: Kind =
      description.hasPrefix("weak:") ? .weak : description.contains("-") ? .uuid : .buildID
    self.init(kind: kind, bytes: bytes)
    guard self.description == description else { return nil }
  }

  /// The ID in the form that the system's tools use: a build ID in lower-case hex, a UUID in upper case and in groups,
  /// `4C4C44BA-5555-3144-A10B-043E2ED47FF3`. A weak ID begins with `weak:`.
  package var description: String {
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    switch kind {
    case .buildID: return digits.joined()
    case .weak: return "weak:" + digits.joined()
    case .uuid:
      guard bytes.count == 16 else { return digits.joined() }
      let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
      return groups.map { digits[$0].joined() }.joined(separator: "-").uppercased()
    }
  }
}

/// An instruction set by its usual name; an unknown instruction set is called `machine-<number>`.
package struct Architecture: Hashable, Sendable, CustomStringConvertible {
  package var description: String
  package init(_ name: String) { description = name }
  package static let x8664 = Self("x86_64")
  package static let arm64 = Self("arm64")
  /// Apple's arm64 with pointer authentication.
  package static let arm64e = Self("arm64e")
}

/// One linked executable or dynamic library.
package struct Image: Sendable {
  package var path: String
  /// The ID of the image. It is not `nil` for an image that was read from a file: without a build ID or UUID it has a
  /// weak ID.
  package var id: ImageID?
  package var architecture: Architecture
  /// The address that a Mach-O image states for its header: the address of `__TEXT`. `nil` for other formats.
  package var headerAddress: StatedAddress?
  /// The segments of a Mach-O image that have bytes in its file, in the order of the load commands; empty for other
  /// formats. The header and `__LINKEDIT` are in a segment, but in no section.
  package var segments: [(name: SymbolName, range: AddressRange)] = []
  package var layout: Layout
  /// The initializers, in the order in which the loader calls them. ELF: `.preinit_array`, then `.init_array`. Mach-O:
  /// `+load` methods of classes, then of categories, then `__mod_init_func` and `__init_offsets`.
  package var initializers: [StatedAddress]
  /// The guards of the compiler's instrumentation, 4 bytes each; `nil` for an image that is not instrumented.
  package var guards: AddressRange?
  /// The places from which instrumented code calls the callback, in the order of the guards; `nil` if the image does not
  /// list them.
  package var callbackPlaces: [StatedAddress]?
  /// The source of the names in `layout`.
  package var symbolSource: SymbolSource
  /// The name by which programs ask the loader for this library, whatever its file is called: ELF's `DT_SONAME`, or the
  /// last component of Mach-O's `LC_ID_DYLIB`. `nil` for an image that states no such name, such as a program.
  package var libraryName: String?
  /// The linker that wrote the image, by the name of its order-file dialect; `nil` if the image does not state it.
  package var linker: String?
  /// Whether the image is in a fat file, beside images for other architectures.
  package var isSlice = false

  package init(
    path: String, id: ImageID?, architecture: Architecture, headerAddress: StatedAddress? = nil,
    layout: Layout, initializers: [StatedAddress] = [], guards: AddressRange? = nil,
    symbolSource: SymbolSource = .symbolTable
  ) {
    self.path = path
    self.id = id
    self.architecture = architecture
    self.headerAddress = headerAddress
    self.layout = layout
    self.initializers = initializers
    self.guards = guards
    self.symbolSource = symbolSource
  }
}
