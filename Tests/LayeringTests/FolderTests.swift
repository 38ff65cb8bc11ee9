import Foundation
import Testing

/// Returns the dependencies between the folders of a Swift target. Folder A depends on folder B if a file of A names a
/// type that only B declares.
///
/// Names are compared as words, so a dependency on a method of an extension is not seen. Files outside of these folders
/// are ignored.
private func folderGraph(_ files: [SourceFile]) throws -> DependencyGraph {
  let declaration = try expression(
    #"^(?:@\w+ |package |public |final |indirect )*(?:struct|class|enum|protocol|actor|typealias) (\w+)"#
  )
  let word = try expression(#"\b[A-Z]\w+"#)
  func matches(_ expression: NSRegularExpression, _ group: Int, in file: SourceFile) -> [String] {
    let text = file.code.map(\.text).joined(separator: "\n") as NSString
    return expression.matches(in: text as String, range: NSRange(location: 0, length: text.length))
      .map { text.substring(with: $0.range(at: group)) }
  }
  func folder(_ file: SourceFile) -> String? {
    let parts = file.path.split(separator: "/")
    return parts.count > 4 ? String(parts[3]) : nil
  }
  var folders: [String: Set<String>] = [:]
  for file in files {
    guard let folder = folder(file) else { continue }
    for name in matches(declaration, 1, in: file) { folders[name, default: []].insert(folder) }
  }
  var graph = DependencyGraph()
  for file in files {
    guard let folder = folder(file) else { continue }
    for name in Set(matches(word, 0, in: file)) {
      guard let owners = folders[name], owners.count == 1 else { continue }
      for owner in owners { graph.add(folder, dependsOn: owner) }
    }
  }
  return graph
}

@Suite struct FolderTests {
  @Test func noTwoFoldersOfATargetNeedEachOther() throws {
    let targets = Dictionary(grouping: try sourceFiles("Sources", ["swift"]), by: \.target)
    #expect(targets.count > 20)
    for (target, files) in targets.sorted(by: { $0.key < $1.key }) {
      let circle = try folderGraph(files).circle ?? []
      #expect(circle.isEmpty, "\(target): \(circle.joined(separator: " needs "))")
    }
  }

  @Test func aCircleIsSeen() throws {
    let files = [
      SourceFile(path: "Sources/S/A/Cars/Car.swift", text: "struct Car { var wheels: [Wheel] }"),
      SourceFile(path: "Sources/S/A/Wheels/Wheel.swift", text: "package struct Wheel {}"),
      SourceFile(path: "Sources/S/A/Wheels/Use.swift", text: "// Car\nlet a = \"Car\""),
    ]
    #expect(try folderGraph(files).circle == nil)
    let other = SourceFile(
      path: "Sources/S/A/Wheels/Spare.swift", text: "let car = Car(wheels: [])")
    #expect(try folderGraph(files + [other]).circle == ["Cars", "Wheels", "Cars"])
  }
}
