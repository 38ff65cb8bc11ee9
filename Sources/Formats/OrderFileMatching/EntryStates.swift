import ImageModel
import OrderFileFormat

/// What the linker can do with each entry of an order file, derived from one or several layouts.
///
/// An entry that names a symbol of any of the layouts is not missing: a build passes one order file to the links of a
/// program and of its libraries.
package struct EntryStates: Sendable {
  package enum State: Hashable, Sendable {
    /// The linker places the functions of this name. More than one body has the name if several local functions share
    /// it.
    case present(bodies: Int)
    /// The entry names data, which linkers order by the same file.
    case data
    /// The entry names a section only, and no layout shows the functions of the section: only a link map does.
    case untold
    /// The linker can't follow the entry.
    case stale(OrderFileCheck.Reason)
  }

  /// An entry, or several that name candidate sections of the same function.
  package struct Entry: Hashable, Sendable {
    /// The indexes of the entries in the order file's `entries`, ascending; never empty.
    package var entries: [Int]
    /// The symbol; the section if no symbol can be derived from its name.
    package var name: SymbolName
    /// Whether `name` is a symbol and not only a section.
    package var namesSymbol: Bool
    package var state: State
  }

  /// The entries in the order of the file, without entries for architectures that no layout has.
  package private(set) var entries: [Entry]

  /// - Parameter layouts: at least one, each with its architecture; `nil` means the first architecture that the file
  ///   names.
  /// - Complexity: O(*n* + *e* log *e*) for *n* functions of all layouts and *e* entries, on average.
  package init(
    of order: OrderFile, in layouts: [(layout: Layout, architecture: Architecture?)]
  ) {
    var states = [Entry?](repeating: nil, count: order.entries.count)
    func add(_ symbol: OrderedSymbol, _ state: State) {
      let first = symbol.entries[0]
      if let known = states[first], known.state.rank <= state.rank { return }
      states[first] = Entry(
        entries: symbol.entries, name: symbol.name, namesSymbol: symbol.namesSymbol, state: state)
    }
    for (layout, architecture) in layouts {
      let ordered = OrderedSymbols(order, in: layout, architecture: architecture)
      for symbol in ordered.symbols {
        add(symbol, symbol.reasonIfMissing.map(State.stale) ?? .present(bodies: symbol.bodies))
      }
      for symbol in ordered.data { add(symbol, .data) }
      for symbol in ordered.untold { add(symbol, .untold) }
      for entry in ordered.duplicates {
        add(OrderedSymbol(order.entries[entry], at: entry), .stale(.duplicate))
      }
    }
    entries = states.compactMap { $0 }
  }
}

extension EntryStates.State {
  /// If an entry has different states in several layouts, the state with the lowest rank counts.
  fileprivate var rank: Int {
    switch self {
    case .present(let bodies): bodies > 1 ? 0 : 1
    case .data: 2
    case .untold: 3
    case .stale(.duplicate): 4
    case .stale(.noSuchSymbol), .stale(.noSuchSection): 7
    case .stale(.undefined), .stale(.shared): 6
    case .stale: 5
    }
  }
}
