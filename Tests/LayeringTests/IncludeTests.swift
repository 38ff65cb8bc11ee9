import Foundation
import Testing

/// The includes within one C target. A file and its header are one node: `slots` is `slots.c` and `slots.h`. `platform`
/// is also `platform_linux.c`, because that file implements `platform.h`.
private struct IncludeGraph {
  private(set) var graph = DependencyGraph()

  init(_ files: [SourceFile]) {
    let headers = Set(files.filter { $0.path.hasSuffix(".h") }.map { Self.stem($0.path) })
    func name(_ path: String) -> String {
      let stem = Self.stem(path)
      let system = stem.range(of: "_", options: .backwards)
        .map { String(stem[..<$0.lowerBound]) }
      guard let system, !headers.contains(stem), headers.contains(system) else { return stem }
      return system
    }
    let include = /^\s*#\s*include\s+"([^"]+)\.h"/
    for file in files {
      for line in file.lines {
        guard let header = line.firstMatch(of: include)?.1 else { continue }
        let from = name(file.path)
        let to = Self.stem(String(header))
        if headers.contains(to) { graph.add(from, dependsOn: to) }
      }
    }
  }

  private static func stem(_ path: String) -> String {
    String(path.split(separator: "/").last!.split(separator: ".").first!)
  }
}

@Suite struct IncludeTests {
  /// The graph of includes is also the graph of calls: the compiler refuses a call of a function that no header
  /// declares.
  @Test func noTwoFilesOfACTargetNeedEachOther() throws {
    let files = try ["Sources", "Runtime"].flatMap { try sourceFiles($0, ["c", "h"]) }
    let targets = Dictionary(grouping: files, by: \.target)
    #expect(targets.count > 5, "expected the C targets, found \(targets.keys.sorted())")
    for (target, files) in targets.sorted(by: { $0.key < $1.key }) {
      let circle = IncludeGraph(files).graph.circle
      #expect(circle == nil, "\(target): \((circle ?? []).joined(separator: " includes "))")
    }
  }

  @Test func aCircleIsSeen() {
    let files = [
      SourceFile(path: "Runtime/A/a.c", text: "#include \"b.h\""),
      SourceFile(path: "Runtime/A/b.h", text: ""),
      SourceFile(path: "Runtime/A/a.h", text: ""),
      SourceFile(path: "Runtime/A/b_linux.c", text: "#include \"b.h\"\n#include \"a.h\""),
    ]
    #expect(IncludeGraph(files).graph.circle == ["a", "b", "a"])
    #expect(IncludeGraph(Array(files.dropLast())).graph.circle == nil)
  }
}
