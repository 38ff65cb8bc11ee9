import Foundation
import TestSupport
import Testing

/// A project that `orderfile init` changes, and what its build makes.
struct InitProject {
  let workshop: Workshop
  /// The names of the functions whose order counts.
  static let functions = ["of_a", "of_b", "of_c"]

  static let source = """
    int of_a(int n) { return n + 1; }
    int of_b(int n) { return n + 2; }
    int of_c(int n) { return n + 3; }
    int main(int n, char **v) { return of_a(of_b(of_c(n))) > 100; }

    """

  init(_ files: [(name: String, text: String)]) throws {
    workshop = try Workshop()
    for (name, text) in files {
      let folder = workshop.folder.appendingPathComponent(name).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try workshop.write(text.utf8, name)
    }
  }

  /// All files but those of builds, by their paths.
  func contents() throws -> [String: [UInt8]] {
    let files = FileManager.default.enumerator(atPath: workshop.folder.path)
    var contents: [String: [UInt8]] = [:]
    for case let path as String in files ?? .init() {
      let top = path.split(separator: "/").first ?? ""
      if ["build", "target", ".build", "Cargo.lock"].contains(String(top)) { continue }
      contents[path] = workshop.bytes(path)
    }
    return contents
  }

  /// The functions of an image in the order of their addresses.
  func order(of image: String) throws -> [String] {
    try workshop.functions(in: image).filter { name in
      Self.functions.contains { name.hasSuffix($0) }
    }.map { String($0.suffix(4)) }
  }

  /// Tests that the change is made once, that the build follows the order file and each change of the file, that the
  /// build works without the file, and that undoing the change restores the project.
  func expectOrdered(
    image: String, symbol: (String) -> String = { $0 }, build: () throws -> Void,
    beforeRelink: () throws -> Void = {}, buildsWithoutOrder: Bool = true
  ) throws {
    let before = try contents()
    let shown = try workshop.mustOrderfile("init")
    #expect(try contents() == before)
    // The printed diff equals the change that is made.
    try workshop.write(shown.text.utf8, "../\(workshop.folder.lastPathComponent).diff")
    defer { try? FileManager.default.removeItem(atPath: workshop.folder.path + ".diff") }
    try workshop.must("git", ["apply", workshop.folder.path + ".diff"])
    let patched = try contents()
    #expect(try workshop.mustOrderfile("init", "--write").errors.contains("nothing to change"))
    try workshop.mustOrderfile("init", "--remove")
    #expect(try contents() == before)
    try workshop.mustOrderfile("init", "--write")
    #expect(try contents() == patched)

    try build()
    for order in [["of_b", "of_c", "of_a"], ["of_c", "of_a", "of_b"]] {
      try workshop.write(order.map { symbol($0) + "\n" }.joined().utf8, "app.order")
      try beforeRelink()
      try build()
      #expect(try self.order(of: image) == order)
    }
    if buildsWithoutOrder {
      try FileManager.default.removeItem(atPath: workshop.path("app.order"))
      try build()
      #expect(try Set(order(of: image)) == Set(Self.functions))
    }
    try workshop.mustOrderfile("init", "--remove")
    try? FileManager.default.removeItem(atPath: workshop.path("app.order"))
    #expect(try contents() == before)
  }
}
