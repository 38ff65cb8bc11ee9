import ImageModel
import ObjectFormat

extension Architecture {
  /// The instruction set in clang's notation for target triples, but `arm64` for `aarch64`, so that it has
  /// one name in both object formats.
  package init(_ header: ELFHeader) {
    self =
      switch header.machine {
      case .x8664: .x8664
      case .aarch64: .arm64
      case .i386: Architecture("i386")
      case .arm: Architecture("arm")
      case .riscv: Architecture(header.is64Bit ? "riscv64" : "riscv32")
      default: Architecture("machine-\(header.machine.rawValue)")
      }
  }
}
