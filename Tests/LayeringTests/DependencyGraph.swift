/// A graph of names and their dependencies.
struct DependencyGraph {
  private(set) var dependencies: [String: Set<String>] = [:]

  mutating func add(_ name: String, dependsOn other: String) {
    if name != other { dependencies[name, default: []].insert(other) }
  }

  /// The names along a circle, which begin and end with the same name; `nil` if there is no circle.
  var circle: [String]? {
    var done: Set<String> = []
    func visit(_ name: String, _ path: [String]) -> [String]? {
      if let start = path.firstIndex(of: name) { return path[start...] + [name] }
      guard !done.contains(name) else { return nil }
      for next in (dependencies[name] ?? []).sorted() {
        if let found = visit(next, path + [name]) { return found }
      }
      done.insert(name)
      return nil
    }
    for name in dependencies.keys.sorted() {
      if let found = visit(name, []) { return found }
    }
    return nil
  }
}
