import Addresses
import ByteReading
import ObjectFormat

/// The facts about the machine of an ELF file that an emulator of one program needs.
package struct EmulatedMachine: Sendable {
  /// The name in `qemu-NAME`; `nil` if no emulator of the machine can be used for recordings.
  package var emulatorName: String?
  /// QEMU's name for the processor with all features that QEMU can emulate.
  package var fullestProcessor: String
  /// The name in the ELF specification, such as `EM_X86_64`.
  package var description: String
  /// The path of the loader, `PT_INTERP`; `nil` for a static program.
  package var loader: String?
  /// The machine's name in Debian's packages and folders of libraries: `aarch64-linux-gnu`.
  package var triplet: String?

  /// - Throws: `unsupported` for anything but an ELF file of 64 bits.
  package init(of bytes: FileBytes) throws(ParseError) {
    guard case .elf(let file) = try ObjectFile(parsing: bytes), file.header.is64Bit else {
      throw ParseError(
        .unsupported(found: "32 bits or another format; an emulator needs 64-bit ELF"),
        "e_ident", at: FileOffset(rawValue: 4))
    }
    let machine = file.header.machine
    description = machine.description
    emulatorName = Self.names[machine]
    fullestProcessor = machine == .riscv ? "rv64" : "max"
    triplet = emulatorName.map { "\($0)-linux-gnu" }
    for segment in file.segments where segment.type == .interpreter {
      let text = try bytes.range(offset: segment.offset, size: segment.fileSize, "PT_INTERP")
      let end = bytes.firstIndex(of: 0, in: text.indices) ?? text.indices.upperBound
      loader = bytes.text(text.indices.lowerBound..<min(end, text.indices.lowerBound + 4096))
    }
  }

  private static let names: [ELFMachine: String] = [
    .x8664: "x86_64", .aarch64: "aarch64", .riscv: "riscv64",
  ]
}
