import Addresses

/// What makes one linked image that image and no other.
package struct ImageID: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// `.note.gnu.build-id`.
    case buildID = 1
    /// `LC_UUID`.
    case uuid = 2
    /// FNV-1a of the program headers, for an image that carries no identity of its own: equal for the
    /// stripped and the unstripped file, but not proof.
    case weak = 3
  }
  package var kind: Kind
  package var bytes: [UInt8]

  package init(kind: Kind, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }
}

extension ImageID: CustomStringConvertible {
  /// Lower-case hex; a weak ID says so.
  package var description: String {
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return kind == .weak ? "weak:\(hex)" : hex
  }
}

/// An instruction set, by its usual name; unknown ones survive as `machine-<number>`.
package struct Architecture: Hashable, Sendable, CustomStringConvertible {
  package var description: String
  package init(_ name: String) { description = name }
  package static let x8664 = Self("x86_64")
  package static let arm64 = Self("arm64")
}

/// One linked executable or dynamic library.
package struct Image: Sendable {
  package var path: String
  /// Never `nil` for an ELF image: without a build ID it has a weak one.
  package var id: ImageID?
  package var architecture: Architecture
  package var layout: Layout
  /// `.preinit_array`, then `.init_array`, in the order that the loader calls them.
  package var initializers: [StatedAddress]
  /// Guards that the compiler's instrumentation left in the image, 4 bytes each; `nil` in an image
  /// that is not instrumented.
  package var guards: AddressRange?
  /// Where the names in `layout` come from.
  package var symbolSource: SymbolSource

  package init(
    path: String, id: ImageID?, architecture: Architecture, layout: Layout,
    initializers: [StatedAddress] = [], guards: AddressRange? = nil,
    symbolSource: SymbolSource = .symbolTable
  ) {
    self.path = path
    self.id = id
    self.architecture = architecture
    self.layout = layout
    self.initializers = initializers
    self.guards = guards
    self.symbolSource = symbolSource
  }
}
