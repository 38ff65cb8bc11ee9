import Foundation
import TestSupport
import Testing

/// Returns a finding for each import that the file's layer forbids.
private func forbiddenImports(of file: SourceFile) -> [String] {
  let allowed = mayImport[file.target] ?? runtimeMayImport[file.target] ?? []
  let statement =
    /^\s*(?:@\w+\s+)*(?:\w+\s+)?import\s+(?:(?:struct|enum|class|func|protocol|typealias|var|let)\s+)?(\w+)/
  return file.code.compactMap { number, text in
    guard let name = text.firstMatch(of: statement)?.1, !allowed.contains(String(name)) else {
      return nil
    }
    let layer = layer(of: file.target).map { "L\($0)" } ?? "no layer"
    let list = allowed.isEmpty ? "nothing" : allowed.sorted().joined(separator: ", ")
    return """
      \(file.path):\(number): '\(file.target)' (\(layer)) imports '\(name)' and may import \(list)
        hint: move what needs '\(name)' to a higher layer, or pass its result down as a value
      """
  }
}

@Suite struct ImportTests {
  @Test func everyImportIsOfTheSameLayerOrALowerOne() throws {
    let files = try sourceFiles("Sources", ["swift"])
    #expect(files.count > 50, "expected the tool's sources, found \(files.count) files")
    let findings = files.flatMap(forbiddenImports)
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }

  @Test func theRecordersFaceImportsNothingElse() throws {
    let files = try sourceFiles("Runtime", ["swift"])
    #expect(Set(files.map(\.target)) == Set(runtimeMayImport.keys))
    let findings = files.flatMap(forbiddenImports)
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    let runtime = Set(runtimeMayImport.keys).union(["Recorder"])
    #expect(mayImport.values.allSatisfy { $0.isDisjoint(with: runtime) })
  }

  @Test func everyTargetIsInALayer() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: projectFolder.appendingPathComponent("Sources").path)
    #expect(Set(folders.filter { !$0.hasPrefix(".") }) == Set(mayImport.keys))
    #expect(Set(layers.joined()) == Set(mayImport.keys))
  }

  @Test func theTableOnlyPointsDown() {
    for (target, imports) in mayImport {
      for name in imports {
        guard let own = layer(of: target), let other = layer(of: name) else { continue }
        #expect(other <= own, "'\(target)' (L\(own)) may import '\(name)' (L\(other))")
      }
    }
  }

  @Test(arguments: [
    ("import ObjectFormat", true), ("package import ObjectFormat", true),
    ("import struct Foundation.URL", true), ("@preconcurrency import Glibc", true),
    ("import ImageModel", false), ("// import ObjectFormat", false),
    ("let text = \"import ObjectFormat\"", false),
  ])
  func forbiddenImportsAreSeen(line: String, isForbidden: Bool) {
    let file = SourceFile(path: "Sources/FunctionOrder/Example.swift", text: "\n\(line)\n")
    let findings = forbiddenImports(of: file)
    #expect(findings.isEmpty != isForbidden)
    if let finding = findings.first {
      #expect(
        finding.hasPrefix("Sources/FunctionOrder/Example.swift:2: 'FunctionOrder' (L3) imports"))
    }
  }
}
