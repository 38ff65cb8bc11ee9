/// The format of a linked image.
package enum ImageFormat: String, Hashable, Sendable {
  case elf = "ELF"
  case machO = "Mach-O"
}
