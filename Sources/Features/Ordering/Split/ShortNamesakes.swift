import Addresses
import Demangling
import ImageModel

/// Functions that only the recorded build has, and functions that only this build has, by their names without
/// parameters.
struct ShortNamesakes {
  /// The functions of each such name that both builds have, ascending by name.
  private(set) var groups: [(recorded: [BlockMap.Function], own: [BlockMap.Function])] = []

  /// - Complexity: O(*n* log *n*) for *n* bytes of names.
  init(
    _ gone: [BlockMap.Function], _ added: [BlockMap.Function], _ recorded: MappedRelease,
    _ build: MappedRelease
  ) {
    let theirs = Self.byShortName(gone, recorded)
    guard !theirs.isEmpty else { return }
    let own = Self.byShortName(added, build)
    for name in theirs.keys.sorted() {
      guard let recorded = theirs[name], let own = own[name] else { continue }
      groups.append((recorded, own))
    }
  }

  /// Returns the functions whose names state parameters.
  private static func byShortName(
    _ functions: [BlockMap.Function], _ release: MappedRelease
  ) -> [String: [BlockMap.Function]] {
    let demangler = Demangler(.short, of: release.release.layout.imageFormat)
    var found: [String: [BlockMap.Function]] = [:]
    for function in functions {
      var shorts: Set<String> = []
      for name in release.names(at: function.entry) {
        let short = demangler.demangle(name)
        guard short != name.description, shorts.insert(short).inserted else { continue }
        found[short, default: []].append(function)
      }
    }
    return found
  }
}
