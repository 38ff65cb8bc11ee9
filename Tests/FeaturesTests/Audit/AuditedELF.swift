import Audit
import Foundation
import ImageModel
import TestSupport
import Testing

/// ELF images to audit: linked from C, or written byte by byte.
enum AuditedELF {
  static func workshop(_ sources: [String: String]) throws -> Workshop {
    let workshop = try Workshop()
    for (name, text) in sources.sorted(by: { $0.key < $1.key }) {
      try workshop.write(text.utf8, name)
    }
    return workshop
  }

  static func link(_ workshop: Workshop, _ words: String...) throws {
    let run = try workshop.run("clang", ["-fuse-ld=lld", "-O1", "-Wl,--build-id"] + words)
    try #require(run.status == 0, "\(run.output)")
  }

  /// Runs a tool that must succeed.
  @discardableResult
  static func must(
    _ workshop: Workshop, _ tool: String, _ words: [String]
  ) throws -> String {
    let run = try workshop.run(tool, words)
    try #require(run.status == 0, "\(run.output)")
    return run.output
  }

  static func audit(
    _ workshop: Workshop, _ name: String, _ options: Audit.Options = Audit.Options()
  ) throws -> AuditDocument {
    try Audit(workshop.folder.appendingPathComponent(name).path, options).examine()
  }

  static func library(_ name: String, _ document: AuditDocument) -> AuditedLibrary? {
    document.libraries.first { $0.name.description == name }
  }

  /// Returns a library without code whose dynamic section asks for libraries.
  static func asking(for names: [[UInt8]]) -> [UInt8] {
    var strings: [UInt8] = [0]
    var table = ByteWriter()
    for name in names {
      table.write(1 as UInt64)
      table.write(UInt64(strings.count))
      strings += name + [0]
    }
    for field: UInt64 in [5, 0x5000, 10, UInt64(strings.count), 0, 0] { table.write(field) }
    var writer = ELFWriter()
    let text = writer.addText()
    let dynamic = writer.add(
      .init(".dynamic", type: 6, flags: 3, address: 0x10_0000, contents: table.bytes))
    let list = writer.add(.init(".dynstr", type: 3, flags: 2, address: 0x5000, contents: strings))
    writer.segments = [(1, text), (1, list), (2, dynamic)]
    return writer.bytes()
  }
}
