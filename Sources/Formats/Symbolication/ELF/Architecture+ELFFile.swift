import ImageModel
import ObjectFormat

extension Architecture {
  /// The instruction set in clang's notation for target triples, but `arm64` for `aarch64`, so that it has
  /// one name in both object formats.
  package init(_ header: ELFHeader) { self.init(header.machine, is64Bit: header.is64Bit) }

  /// - Parameter machine: ELF's `e_machine`, as traces state it.
  package init(machine: UInt32) {
    self.init(ELFMachine(rawValue: UInt16(truncatingIfNeeded: machine)), is64Bit: true)
  }

  private init(_ machine: ELFMachine, is64Bit: Bool) {
    self =
      switch machine {
      case .x8664: .x8664
      case .aarch64: .arm64
      case .i386: Architecture("i386")
      case .arm: Architecture("arm")
      case .riscv: Architecture(is64Bit ? "riscv64" : "riscv32")
      default: Architecture("machine-\(machine.rawValue)")
      }
  }
}
