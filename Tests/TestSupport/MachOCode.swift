import Foundation

/// The functions of a linked Mach-O image in their order, as two tools see them that are not ours.
package struct MachOCode: Sendable {
  /// `object symbol` for each line of the link map's `__TEXT,__text` that has a size, in the map's order; the
  /// object file is the last component of its path.
  package var map: [String]
  /// The symbols of `llvm-nm` in `__TEXT,__text`, by address. Symbols of one address are in the order of their names.
  package var symbols: [String]

  /// `map` without the object files.
  package var mapSymbols: [String] { map.map { String($0.drop { $0 != " " }.dropFirst()) } }
}

extension Workshop {
  package func machOCode(_ image: String, linkMap: String) throws -> MachOCode {
    let text = try String(contentsOf: folder.appendingPathComponent(linkMap), encoding: .utf8)
    return MachOCode(map: try Self.code(ofMap: text), symbols: try machOSymbols(in: image))
  }

  private static func code(ofMap text: String) throws -> [String] {
    let parts = text.components(separatedBy: "# Symbols:\n")
    let header = parts[0].components(separatedBy: "\n")
    var files: [Substring: Substring] = [:]
    for line in header where line.hasPrefix("[") {
      let parts = line.split(separator: "]", maxSplits: 1)
      files[parts[0]] = parts[1].dropFirst().split(separator: "/").last
    }
    guard let section = header.first(where: { $0.hasSuffix("\t__TEXT\t__text") }), parts.count == 2
    else { throw Tool.Failure(description: "no section of code in the map") }
    let numbers = section.split(separator: "\t").prefix(2).compactMap(number)
    return parts[1].components(separatedBy: "\n").compactMap { line in
      let fields = line.split(separator: "\t", maxSplits: 2)
      guard fields.count == 3, let address = number(fields[0]), let size = number(fields[1]),
        size > 0,
        address >= numbers[0], address - numbers[0] < numbers[1]
      else { return nil }
      let symbol = fields[2].split(separator: "]", maxSplits: 1)
      return "\(files[symbol[0]] ?? "?")\(symbol[1])"
    }
  }

  private static func number(_ text: Substring) -> UInt64? { UInt64(text.dropFirst(2), radix: 16) }

  private func machOSymbols(in image: String) throws -> [String] {
    try run("llvm-nm-19", ["-m", image]).output.split(separator: "\n")
      .filter { $0.contains("(__TEXT,__text)") && !$0.contains("__mh_execute_header") }
      .map { line -> (UInt64, String) in
        let mark = ["(was a private external) ", "external "].lazy
          .compactMap { line.firstRange(of: $0)?.upperBound }.first
        return (
          UInt64(line.prefix(16), radix: 16) ?? 0, String(line[(mark ?? line.endIndex)...])
        )
      }
      .sorted { $0 < $1 }.map(\.1)
  }
}
