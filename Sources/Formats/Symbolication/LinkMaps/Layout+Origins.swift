import Addresses
import ByteReading
import ImageModel

extension Layout {
  /// This layout with the input sections and object files of `map`, the link map of the same image, and with the
  /// symbols that the map lists as discarded.
  ///
  /// An input section belongs to an address, an object file to a name: functions that were folded into one body keep
  /// their own object files, even if they have the same name.
  ///
  /// - Complexity: O(*n* + *m*) for *n* functions here and *m* in the map, on average.
  package func addingOrigins(of map: Layout) -> Layout {
    var sections: [UInt64: NameReference] = [:]
    var objectFiles: [Origin: [NameReference]] = [:]
    for function in map.functions {
      if let section = function.inputSection { sections[function.address.rawValue] = section }
      if let file = function.objectFile {
        objectFiles[Origin(function, in: map), default: []].append(file)
      }
    }
    var names = names
    var copied: [NameReference: NameReference] = [:]
    func copy(_ reference: NameReference) -> NameReference? {
      if let known = copied[reference] { return known }
      copied[reference] = names.append(map.names[reference])
      return copied[reference]
    }
    let functions = functions.map { function in
      var function = function
      if let section = sections[function.address.rawValue] {
        function.inputSection = copy(section) ?? function.inputSection
      }
      let origin = Origin(function, in: self)
      if let file = objectFiles[origin]?.last {
        function.objectFile = copy(file) ?? function.objectFile
        objectFiles[origin]?.removeLast()
      }
      return function
    }
    let discarded = map.absentSymbols.filter { $0.reason == .discarded }.compactMap { symbol in
      names.append(map.names[symbol.name]).map { AbsentSymbol(name: $0, reason: symbol.reason) }
    }
    return Layout(
      imageFormat: imageFormat, sections: self.sections, functions: functions, names: names,
      absentSymbols: absentSymbols + discarded)
  }
}

/// The key under which an object file is stored: a name at an address.
private struct Origin: Hashable {
  var address: StatedAddress
  var name: NameKey

  init(_ function: PlacedSymbol, in layout: Layout) {
    address = function.address
    name = NameKey(layout.names[function.name])
  }
}
