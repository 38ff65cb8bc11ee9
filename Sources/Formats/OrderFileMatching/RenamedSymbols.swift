// The present names of functions that an order file lists under older names.
//
// A name is looked up in two steps. The first step finds functions of a recorded build in another build
// (`SymbolMap.resolve`): suffixes and hashes that differ from build to build are left out. A part of a function is not
// the function, so `f.cold` is never renamed to `f`.
//
// The second step is for Swift. The mangled name of a private declaration contains a hash of its file's name, and
// closures and local functions are numbered. So the demangled names are compared, first without hashes, then also
// without numbers. A hash changes with the name of a file, so a function of the same name in another file, which the
// order file lists by its present name, is not a candidate. A number changes when a closure is added before it. Then
// most of the function's old names of closures still exist, as names of other closures: such a name is not missing, and
// nobody notices the change. A missing number only means that the function has fewer closures. So a closure is renamed
// only if exactly one closure has the same demangled name, which is also the case if only its parent has changed. A
// clone with a number (`TA.6`) and a function without one (`TA`) are different functions, so a name is first looked for
// among names of the same kind.

import Addresses
import ByteReading
import Demangling
import ImageModel
import Symbolication

/// Finds the present names of functions.
package struct RenamedSymbols {
  private var maps: [SymbolMap]
  /// The names that an order file lists, or that were found for a listed name.
  private var listed: Set<NameKey>
  private var swiftFunctions: [SwiftNameForm: [NameKey: [Place]]] = [:]

  /// The place of a function: a layout, and an address in the layout.
  private struct Place: Hashable {
    var map: Int
    var function: Int
  }

  /// - Parameter listed: the names that the order file lists.
  /// - Complexity: O(*b*) for *b* bytes in all names.
  package init(in layouts: [Layout], listed: some Sequence<SymbolName>) {
    maps = layouts.map { SymbolMap($0) }
    self.listed = Set(listed.map { NameKey($0.bytes) })
  }

  /// Returns the names that a function with the given older name may have now, one for each body, without listed names.
  /// If there is one such name, it counts as listed from then on, and is not returned again.
  ///
  /// - Parameter objectFile: in ld64's notation; if several functions match, only functions of this file count.
  /// - Complexity: O(*n* + *k*) for *n* bytes of the name and *k* functions of the same form; the first time O(*b*) for
  ///   *b* bytes in all names, which are demangled if the name is Swift's.
  package mutating func presentNames(
    of name: SymbolName, from objectFile: SymbolName? = nil
  ) -> [SymbolName] {
    var found: [SymbolName] = []
    for index in maps.indices {
      guard
        case .canonical(let functions, let match) = maps[index].resolve(name, from: objectFile),
        match.isSamePart
      else { continue }
      for name in unlistedNames(functions.map { Place(map: index, function: $0) })
      where !found.contains(name) { found.append(name) }
    }
    if found.isEmpty { found = swiftNames(of: name) }
    if found.count == 1 { listed.insert(NameKey(found[0].bytes)) }
    return found
  }

  private mutating func swiftNames(of name: SymbolName) -> [SymbolName] {
    for form in SwiftNameForm.allCases {
      guard let text = form.text(ofMangled: name.bytes) else { continue }
      let all = functions(in: form)[NameKey(text)] ?? []
      let isClone = hasNumber(name)
      let alike = all.filter { hasNumber(self.name(of: $0)) == isClone }
      let places = alike.isEmpty ? all : alike
      let names = unlistedNames(places)
      let bodies = form == .withoutNumbers ? bodyCount(places) : names.count
      if bodies == 1, names.count == 1 { return names }
      if names.count > 1 { return names }
    }
    return []
  }

  private func hasNumber(_ name: SymbolName) -> Bool {
    NameEnding(of: name.bytes, in: name.bytes.indices).cuts.contains(.number)
  }

  private mutating func functions(in form: SwiftNameForm) -> [NameKey: [Place]] {
    if let known = swiftFunctions[form] { return known }
    var functions: [NameKey: [Place]] = [:]
    for (index, map) in maps.enumerated() {
      for (number, function) in map.layout.functions.enumerated() {
        guard let text = form.text(ofMangled: Array(map.layout.names[function.name])) else {
          continue
        }
        functions[NameKey(text), default: []].append(Place(map: index, function: number))
      }
    }
    swiftFunctions[form] = functions
    return functions
  }

  /// Returns one unlisted name for each body at `places` that has one.
  private func unlistedNames(_ places: [Place]) -> [SymbolName] {
    var names: [SymbolName] = []
    var bodies: Set<Body> = []
    for place in places {
      let name = name(of: place)
      guard !listed.contains(NameKey(name.bytes)), bodies.insert(body(of: place)).inserted,
        !names.contains(name)
      else { continue }
      names.append(name)
    }
    return names
  }

  private struct Body: Hashable {
    var map: Int
    var address: StatedAddress
  }

  private func body(of place: Place) -> Body {
    let function = maps[place.map].layout.functions[place.function]
    return Body(map: place.map, address: function.address)
  }

  private func bodyCount(_ places: [Place]) -> Int { Set(places.map(body)).count }

  private func name(of place: Place) -> SymbolName {
    let layout = maps[place.map].layout
    return layout.name(of: layout.functions[place.function])
  }
}

extension CanonicalName.Match {
  /// Whether both names are of whole functions, or both of the same part.
  fileprivate var isSamePart: Bool {
    switch self {
    case .renumbered, .base, .variant, .mergedBody, .original: true
    case .partial, .unsplit: false
    }
  }
}
