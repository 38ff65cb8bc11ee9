import Testing

/// Places where the output does not depend on the order of the elements.
private let allowed: [(path: String, text: String, reason: String)] = [
  (
    "System/LaunchMeasurement/Plan/MeasurementPlan.swift",
    "package var wallNanoseconds: [Double] { launches.map { Double($0.wallNanoseconds) } }",
    "an array; a local dictionary has its name"
  ),
  (
    "Formats/Symbolication/Traces/RecordedFunctions.swift",
    "objectFile: files.count == 1 ? files.first ?? nil : nil)", "the only one"
  ),
]

@Suite struct UnorderedCollectionTests {
  @Test(.needs(.time)) func noDictionaryOrSetIsIteratedToProduceOutput() throws {
    let files = try sourceFiles("Sources", ["swift"])
    let members = files.reduce(into: Set<String>()) { all, file in
      all.formUnion(UnorderedNames(of: file).members)
    }
    var needless = Set(allowed.map { "Sources/\($0.path): \($0.text)" })
    for file in files {
      for place in unorderedUses(in: file, members: members) {
        let text = place.split(separator: " ", maxSplits: 1).last ?? ""
        guard needless.remove("\(file.path): \(text)") == nil else { continue }
        Issue.record("sort what is taken from a collection without an order:\n\(place)")
      }
    }
    #expect(needless.isEmpty, "these no longer need an exception")
  }

  @Test(arguments: [
    "var seen: Set<Int> = []; for n in seen { print(n) }",
    "let seen = Set(numbers)\n  for n in seen where n > 1 { print(n) }",
    "func f(_ names: [Name: Int]) { for (name, n) in names { print(name, n) } }",
    "func f(_ names: [Name: [Int]]?) { names?.forEach { print($0) } }",
    "let table: [String: (a: Int, b: [Int: Int])] = [:]\n  return table.keys.map { $0 }",
    "let table = [\"a\": 1, \"b\": 2]; return Array(table.values)",
    "let table = Dictionary(grouping: all) { $0.key }; list.append(contentsOf: table.values)",
    "func names() -> Set<Name> { [] }\n  for name in names() { print(name) }",
    "func names(\n    of a: Int) -> [Name: Int] { [:] }\n  return names(of: 1).filter { $0.value > 1 }.map(\\.key)",
    "var seen: Set<Int>\n  return seen.union(others).first",
    "let seen: Set<Int> = []; text = seen.map(String.init).joined(separator: \",\")",
    "let seen: Set<Int> = []; return self.seen\n    .filter { $0 > 1 }\n    .reduce(\"\") { $0 + \"\\($1)\" }",
  ])
  func theOrderOfHashesIsSeen(code: String) {
    let file = SourceFile(path: "Sources/A/B.swift", text: "struct A {\n  \(code)\n}\n")
    #expect(unorderedUses(in: file, members: []).count == 1)
  }

  @Test(arguments: [
    "var seen: Set<Int> = []; for n in seen.sorted() { print(n) }",
    "var seen: Set<Int> = []; for n in numbers where seen.insert(n).inserted { print(n) }",
    "var seen: Set<Int> = []; for n in numbers where !seen.contains(n) { print(n) }",
    "func f(_ names: [Name: [Int]]) { for n in names[key] ?? [] { print(n) } }",
    "let table: [String: Int] = [:]; return table.keys.sorted().map { $0 }",
    "let table: [String: Int] = [:]; return table.map { ($0, $1) }.sorted { $0.0 < $1.0 }",
    "let table: [String: Int] = [:]; return table.values.max() ?? 0",
    "let seen = Set(numbers.map(\\.a)); return Set(seen.map { $0 + 1 }).count",
    "let seen = Set(numbers).sorted(); for n in seen { print(n) }",
    "let names: [Name] = []; for name in names { print(name) }",
    "let table: [String: Int] = [:]; return table.values.reduce(0, +)",
    "let f = (a: [Int](), seen: 1); for n in f.a { print(n) }",
    "let seen: Set<Int> = [] // for n in seen { }",
  ])
  func whatTheOrderCannotChangeIsLeftAlone(code: String) {
    let file = SourceFile(path: "Sources/A/B.swift", text: "struct A {\n  \(code)\n}\n")
    #expect(unorderedUses(in: file, members: []) == [])
  }

  @Test func membersAreKnownInOtherFiles() {
    let one = SourceFile(
      path: "Sources/A/B.swift", text: "struct A {\n  var named: [Name: Int]\n}\n")
    let two = SourceFile(path: "Sources/A/C.swift", text: "for n in a.named { print(n) }\n")
    let other = SourceFile(path: "Sources/A/C.swift", text: "for n in named { print(n) }\n")
    let members = UnorderedNames(of: one).members
    #expect(
      unorderedUses(in: two, members: members) == [
        "Sources/A/C.swift:1: for n in a.named { print(n) }"
      ])
    #expect(unorderedUses(in: other, members: members) == [])
  }
}
