/// The format of a linked image, and what each format does in a way of its own.
package enum ImageFormat: String, Hashable, Sendable {
  case elf = "ELF"
  case machO = "Mach-O"
}

extension ImageFormat {
  /// Whether symbols have an underscore before the names of the language, but for those of Objective-C.
  package var prefixesUnderscore: Bool {
    switch self {
    case .elf: false
    case .machO: true
    }
  }

  /// By what an image is told from other builds.
  package struct Identity: Sendable {
    /// What the linker writes for it: `build ID`.
    package var name: String
    /// What is looked at where the linker wrote none.
    package var substitute: String
    /// How to have the linker write it.
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
