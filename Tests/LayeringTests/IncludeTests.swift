import Foundation
import Testing

/// What of one C target includes what, a file and its header as one: `slots` is `slots.c` and
/// `slots.h`, and `platform` stands for `platform_linux.c`, too, because it implements `platform.h`.
private struct IncludeGraph {
  private var included: [String: Set<String>] = [:]

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
        if from != to, headers.contains(to) { included[from, default: []].insert(to) }
      }
    }
  }

  private static func stem(_ path: String) -> String {
    String(path.split(separator: "/").last!.split(separator: ".").first!)
  }

  var count: Int { included.count }

  /// One circle, as the names along it; `nil` if there is none.
  var circle: [String]? {
    var done: Set<String> = []
    func visit(_ name: String, _ path: [String]) -> [String]? {
      if let start = path.firstIndex(of: name) { return path[start...] + [name] }
      guard done.contains(name) == false else { return nil }
      for next in (included[name] ?? []).sorted() {
        if let found = visit(next, path + [name]) { return found }
      }
      done.insert(name)
      return nil
    }
    for name in included.keys.sorted() {
      if let found = visit(name, []) { return found }
    }
    return nil
  }
}

@Suite struct IncludeTests {
  /// The graph of calls is that of includes: the compiler refuses a call of what no header declares.
  @Test func noTwoFilesOfACTargetNeedEachOther() throws {
    let files = try ["Sources", "Runtime"].flatMap { try sourceFiles($0, ["c", "h"]) }
    let targets = Dictionary(grouping: files, by: \.target)
    #expect(targets.count > 5, "expected the C targets, found \(targets.keys.sorted())")
    for (target, files) in targets.sorted(by: { $0.key < $1.key }) {
      let circle = IncludeGraph(files).circle
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
    #expect(IncludeGraph(files).circle == ["a", "b", "a"])
    #expect(IncludeGraph(Array(files.dropLast())).circle == nil)
  }
}
