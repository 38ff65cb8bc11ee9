import ImageModel
import ObjectFormat

extension Architecture {
  /// What clang calls the instruction set in a target triple, but `arm64` for `aarch64`, so that it has
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
