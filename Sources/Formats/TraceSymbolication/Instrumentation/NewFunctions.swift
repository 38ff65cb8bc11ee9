// Which functions of a layout does the recorded build lack?
//
// A trace can only name what its build had. A function that was written since is in no trace, whether or not a launch
// runs it. It is new if no function of the recorded build has the same name, apart from what differs between builds
// (`CanonicalName`); a body with several names is known if one of its names is. Code without a name, and code that
// compilers merge, split off or outline, is in every build under other names, and does not count.

import Addresses
import Demangling
import ImageModel
import Symbolication

/// The functions of a layout that other builds of the program lack.
package struct NewFunctions: Sendable {
  /// Indexes into the layout's functions, one for each body, largest first.
  package let functions: [Int]
  /// The addresses of the first bytes of the new functions.
  package let newEntries: Set<StatedAddress>
  /// The size of the new functions, in bytes.
  package let bytes: UInt64
  /// The size, in bytes, of all code that is compared.
  package let allBytes: UInt64

  /// The maximum number of names of a body that are looked up.
  private static let mostNames = 64

  /// - Complexity: O(*b* + *n* log *n*) for *b* bytes in all names and *n* functions of `layout`.
  package init(in layout: Layout, lackedBy builds: [Layout]) {
    let known = builds.map(NameIndex.init(canonicalNamesOf:))
    func isKnown(_ function: Int) -> Bool {
      let name = CanonicalName(layout.name(of: layout.functions[function])).base
      return known.contains { $0.contains(name) }
    }
    var found: [(function: Int, bytes: UInt64)] = []
    var allBytes: UInt64 = 0
    for body in CodeBodies(layout).all {
      allBytes += body.bytes.size
      guard let function = body.function else { continue }
      let names = layout.aliases(of: function).prefix(Self.mostNames).filter {
        layout.functions[$0].name.count > 0
      }
      guard !names.isEmpty, !names.contains(where: isKnown) else { continue }
      found.append((names[0], body.bytes.size))
    }
    found.sort { ($1.bytes, $0.function) < ($0.bytes, $1.function) }
    functions = found.map(\.function)
    newEntries = Set(functions.map { layout.functions[$0].address })
    bytes = found.map(\.bytes).saturatingSum()
    self.allBytes = allBytes
  }
}
