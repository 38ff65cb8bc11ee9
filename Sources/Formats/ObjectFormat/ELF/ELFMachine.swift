/// `e_machine`: the instruction set. <https://gabi.xinuos.com/elf/a-emachine.html>
package struct ELFMachine: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let i386 = Self(rawValue: 3)  // EM_386
  package static let arm = Self(rawValue: 40)  // EM_ARM
  package static let x8664 = Self(rawValue: 62)  // EM_X86_64
  package static let aarch64 = Self(rawValue: 183)  // EM_AARCH64
  package static let riscv = Self(rawValue: 243)  // EM_RISCV
}

extension ELFMachine: CustomStringConvertible {
  private static let names: [Self: String] = [
    .i386: "EM_386", .arm: "EM_ARM", .x8664: "EM_X86_64", .aarch64: "EM_AARCH64",
    .riscv: "EM_RISCV",
  ]
  package var description: String { Self.names[self] ?? "EM_\(rawValue)" }
}
