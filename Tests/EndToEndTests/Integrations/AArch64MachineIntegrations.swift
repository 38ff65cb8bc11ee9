import Foundation
import TestSupport
import Testing

/// The files from which the emulated machine is built.
private enum AArch64Machine {
  static let package = fixturesFolder.deletingLastPathComponent().deletingLastPathComponent()
  static let kernel = package.appendingPathComponent(".build/arm64/vmlinuz").path
}

extension Requirement {
  fileprivate static let aarch64Machine = Requirement(
    "what Scripts/bootstrap.sh integrations installs for an AArch64 machine"
  ) {
    ["aarch64-linux-gnu-gcc", "clang", "cpio", "ld.lld", "qemu-system-aarch64", "swiftc"]
      .allSatisfy { toolPath($0) != nil }
      && FileManager.default.fileExists(atPath: AArch64Machine.kernel)
  }
}

/// The tracers of `record --breakpoints` and `pages`, and the recorder, on an AArch64 machine: an emulated one that runs
/// Debian's kernel. `Tests/AArch64` holds what runs there, and `Tests/AArch64/README.md` what does not.
@Suite(.needs(.aarch64Machine))
struct AArch64MachineIntegrations {
  @Test func whatProgramsDoIsHeardAndTheyGoOn() throws {
    let workshop = try Workshop()
    let lines = try boot(workshop)
    let others = ["trace ", "size ", "["]  // lines of the kernel begin with a bracket
    let heard = lines.filter { line in !others.contains { line.hasPrefix($0) } }
    try expectGolden(
      byVoice(heard).map { $0 + "\n" }.joined(), "aarch64/heard.txt")

    try workshop.write(trace(lines), "recorded.oftrace")
    let show = try workshop.mustOrderfile(
      "show", "--json", "recorded.oftrace", "--recorded", "root/recorded"
    ).json
    let hits = try #require(show["hits"] as? [[String: Any]])
    #expect(
      hits.map { $0["names"] as? [String] ?? [] } == [
        ["main"], ["order"], ["step_first"], ["step_second"], ["step_third"],
      ])
  }

  /// Returns the lines of each launch: those of the tracer first, then those of the program. Both are separate
  /// processes whose lines come in any order.
  private func byVoice(_ lines: [String]) -> [String] {
    var sorted: [String] = []
    var said: [String] = []
    for line in lines {
      if line.hasPrefix("launch ") {
        sorted += said
        said = []
      }
      if line.hasPrefix("| ") { said.append(line) } else { sorted.append(line) }
    }
    return sorted + said
  }

  /// Returns the lines that the machine prints on its console until it turns itself off.
  private func boot(_ workshop: Workshop) throws -> [String] {
    let script = AArch64Machine.package.appendingPathComponent("Tests/AArch64/build.sh").path
    let build = try workshop.start(script, [workshop.folder.path]).end()
    try #require(build.status == 0, "\(build.text)\(build.errors)")
    let machine = try workshop.start(
      "qemu-system-aarch64",
      [
        "-M", "virt", "-cpu", "max,pauth-impdef=on",
        "-accel", "tcg,thread=single", "-smp", "2", "-m", "512", "-nic", "none", "-nographic",
        "-no-reboot", "-kernel",
        AArch64Machine.kernel,
        "-initrd", "initramfs.cpio", "-append", "console=ttyAMA0 quiet panic=-1",
      ]
    ).end()
    #expect(machine.status == 0, "\(machine.errors)")
    return machine.text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
  }

  /// Returns the file that the machine has printed as lines `trace OFFSET BYTES`, in hexadecimal and without zeros, and
  /// `size N`.
  private func trace(_ lines: [String]) throws -> [UInt8] {
    let sizes = lines.filter { $0.hasPrefix("size ") }.compactMap { Int($0.dropFirst(5)) }
    var bytes = [UInt8](repeating: 0, count: try #require(sizes.first))
    for line in lines where line.hasPrefix("trace ") {
      let words = line.split(separator: " ")
      let start = try #require(Int(words[1], radix: 16))
      for (index, digit) in words[2].enumerated() {
        bytes[start + index / 2] |=
          UInt8(try #require(digit.hexDigitValue)) << (index % 2 == 0 ? 4 : 0)
      }
    }
    return bytes
  }
}
