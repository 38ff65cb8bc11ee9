/// `cputype` and `cpusubtype`: the instruction set. `mach/machine.h`
package struct MachOArchitecture: Hashable, Sendable {
  package var cpuType: UInt32
  /// The `cpusubtype` without the feature flags in the highest byte, which state how pointers are signed.
  package var cpuSubtype: UInt32

  package init(cpuType: UInt32, cpuSubtype: UInt32) {
    self.cpuType = cpuType
    self.cpuSubtype = cpuSubtype & 0x00ff_ffff  // CPU_SUBTYPE_MASK
  }

  package static let arm64 = Self(cpuType: 0x0100_000c, cpuSubtype: 0)
  package static let arm64e = Self(cpuType: 0x0100_000c, cpuSubtype: 2)
  package static let x8664 = Self(cpuType: 0x0100_0007, cpuSubtype: 3)
  /// x86-64 processors since Haswell.
  package static let x8664h = Self(cpuType: 0x0100_0007, cpuSubtype: 8)
}

extension MachOArchitecture: CustomStringConvertible {
  /// The name of the architecture. Architectures whose images this reader doesn't support have names, too, because an
  /// error lists the slices of a fat file.
  private static let names: [Self: String] = [
    .arm64: "arm64", .arm64e: "arm64e", .x8664: "x86_64", .x8664h: "x86_64h",
    Self(cpuType: 0x0100_000c, cpuSubtype: 1): "arm64v8",
    Self(cpuType: 0x0200_000c, cpuSubtype: 0): "arm64_32",
    Self(cpuType: 0x0200_000c, cpuSubtype: 1): "arm64_32",
    Self(cpuType: 7, cpuSubtype: 3): "i386",
    Self(cpuType: 12, cpuSubtype: 6): "armv6",
    Self(cpuType: 12, cpuSubtype: 9): "armv7",
    Self(cpuType: 12, cpuSubtype: 11): "armv7s",
    Self(cpuType: 12, cpuSubtype: 12): "armv7k",
    Self(cpuType: 18, cpuSubtype: 0): "ppc",
    Self(cpuType: 0x0100_0012, cpuSubtype: 0): "ppc64",
  ]

  /// The name that `-arch` takes; for an unknown architecture the two numbers, in the notation of llvm-lipo:
  /// `unknown(16777234,5)`.
  package var description: String {
    Self.names[self] ?? "unknown(\(cpuType),\(cpuSubtype))"
  }
}
