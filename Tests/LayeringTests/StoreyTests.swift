import Foundation
import TestSupport
import Testing

/// The folders of Sources, from the bottom up. Package.swift states the dependencies of each target, and SwiftPM
/// refuses any other import.
private let storeys = ["Libraries", "Bytes", "Model", "Formats", "System", "Features", "Command"]

/// Returns the storey of each target in Sources.
private func storeyOfTargets() throws -> [String: Int] {
  var found: [String: Int] = [:]
  for (storey, name) in storeys.enumerated() {
    let folder = projectFolder.appendingPathComponent("Sources/\(name)").path
    for target in try FileManager.default.contentsOfDirectory(atPath: folder)
    where !target.hasPrefix(".") { found[target] = storey }
  }
  return found
}

/// Returns a finding for each import of a target in a higher storey.
private func importsOfHigherStoreys(
  in file: SourceFile, _ storeyOfTarget: [String: Int]
) -> [String] {
  guard let own = storeyOfTarget[file.target] else { return ["\(file.path): in no storey"] }
  return file.imports.compactMap { number, name in
    guard let other = storeyOfTarget[name], other > own else { return nil }
    return """
      \(file.path):\(number): '\(file.target)' in \(storeys[own]) imports '\(name)' in \(storeys[other])
        hint: move what needs '\(name)' to a higher storey, or pass its result down as a value
      """
  }
}

@Suite struct StoreyTests {
  @Test func noTargetImportsOneOfAHigherStorey() throws {
    let targets = try storeyOfTargets()
    let files = try sourceFiles("Sources", ["swift"])
    #expect(files.count > 50, "expected the tool's sources, found \(files.count) files")
    let findings = files.flatMap { importsOfHigherStoreys(in: $0, targets) }
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }

  @Test func sourcesHasTheStoreysAlone() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: projectFolder.appendingPathComponent("Sources").path)
    #expect(folders.filter { !$0.hasPrefix(".") }.sorted() == storeys.sorted())
  }

  /// Algorithms take values and return values: an algorithm knows no format, no file and no other algorithm.
  @Test func theModelImportsNothingElse() throws {
    let targets = try storeyOfTargets()
    for file in try sourceFiles("Sources/Model", ["swift"]) {
      for (number, name) in file.imports where targets[name] != nil {
        #expect(["ImageModel", "Addresses"].contains(name), "\(file.path):\(number): \(name)")
      }
    }
  }

  @Test func theCommandImportsNothingOfTheRecorder() throws {
    let runtime = [
      "Recorder", "OrderFileRuntime", "Tasks", "OrderFileTasks", "PageTracer", "StageTracer",
      "QEMUPlugin",
    ]
    for file in try sourceFiles("Sources", ["swift"]) {
      for (number, name) in file.imports {
        #expect(!runtime.contains(name), "\(file.path):\(number): \(name)")
      }
    }
    for file in try sourceFiles("Runtime", ["swift"]) {
      #expect(file.imports.allSatisfy { ["Recorder", "Tasks"].contains($0.name) }, "\(file.path)")
    }
  }

  /// The table of docs/DESIGN.md has a row for each storey, with its targets.
  @Test func theDesignNamesEachTarget() throws {
    let page = try String(
      contentsOf: projectFolder.appendingPathComponent("docs/DESIGN.md"), encoding: .utf8)
    let targets = try storeyOfTargets()
    for (storey, name) in storeys.enumerated() {
      let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| \(name) |") })
      let cell = row.split(separator: "|", omittingEmptySubsequences: false)[2]
      let named = cell.split { " ,`".contains($0) }.map(String.init)
      #expect(named.sorted() == targets.filter { $0.value == storey }.keys.sorted())
    }
  }

  @Test(arguments: [
    ("import ObjectFormat", true), ("package import ObjectFormat", true),
    ("import struct CommandSupport.Folder", true), ("@preconcurrency import Recording", true),
    ("import ImageModel", false), ("import Glibc", false), ("// import ObjectFormat", false),
    ("let text = \"import ObjectFormat\"", false),
  ])
  func importsOfHigherStoreysAreSeen(line: String, isForbidden: Bool) throws {
    let file = SourceFile(path: "Sources/Model/FunctionOrder/Example.swift", text: "\n\(line)\n")
    let findings = importsOfHigherStoreys(in: file, try storeyOfTargets())
    #expect(findings.isEmpty != isForbidden)
    if let finding = findings.first {
      #expect(
        finding.hasPrefix(
          "Sources/Model/FunctionOrder/Example.swift:2: 'FunctionOrder' in Model imports"))
    }
  }
}
