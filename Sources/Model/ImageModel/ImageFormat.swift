/// The format of a linked image, and the properties that depend on it.
package enum ImageFormat: String, Hashable, Sendable {
  case elf = "ELF"
  case machO = "Mach-O"
}

extension ImageFormat {
  /// Whether symbols have an underscore before the language's name; Objective-C methods do not.
  package var prefixesUnderscore: Bool {
    switch self {
    case .elf: false
    case .machO: true
    }
  }

  /// How an image of this format is distinguished from other builds.
  package struct Identity: Sendable {
    /// The name of the identity that the linker writes: `build ID`.
    package var name: String
    /// The data that identify the image if the linker wrote no identity.
    package var substitute: String
    /// The hint that says how to make the linker write the identity.
    package var hint: String
  }

  package var identity: Identity {
    switch self {
    case .elf:
      Identity(
        name: "build ID", substitute: "program headers", hint: "link with -Wl,--build-id")
    case .machO:
      Identity(name: "UUID", substitute: "load commands", hint: "link without -no_uuid")
    }
  }
}
