import ImageModel
import OrderFileFormat

extension Layout {
  /// What an order file of `dialect` has to say to place `function`.
  ///
  /// A dialect that names sections wants the input section, which only a link map knows. Without it the
  /// function has an entry for each section that compilers put a function of its name in: linkers pass
  /// over the ones that don't exist.
  package func entries(
    of function: Function, for dialect: OrderFileDialect
  ) -> [OrderFileEntry] {
    let symbol = Array(names[function.name])
    guard dialect.namesSections else { return [OrderFileEntry(symbol: symbol)] }
    if let section = function.inputSection {
      return [OrderFileEntry(symbol: symbol, section: Array(names[section]))]
    }
    return candidateSections(ofFunction: symbol).map { OrderFileEntry(symbol: symbol, section: $0) }
  }

  /// This layout with the input sections that `map`, the link map of the same image, states.
  ///
  /// - Complexity: O(*n* + *m*) for *n* functions here and *m* in the map, on average.
  package func addingInputSections(of map: Layout) -> Layout {
    var sections: [UInt64: NameReference] = [:]
    for function in map.functions {
      if let section = function.inputSection { sections[function.address.rawValue] = section }
    }
    var names = names
    var copied: [NameReference: NameReference] = [:]
    let functions = functions.map { function in
      guard let section = sections[function.address.rawValue] else { return function }
      var function = function
      if let known = copied[section] {
        function.inputSection = known
      } else if let reference = names.append(map.names[section]) {
        copied[section] = reference
        function.inputSection = reference
      }
      return function
    }
    return Layout(sections: self.sections, functions: functions, names: names)
  }
}
