// OCaml's runtime has to recognize the code of OCaml by its addresses. It turns a stack overflow into an exception only
// if the overflow happens in this code, and it can marshal a closure only if the closure's code is recognized. So each
// module has a symbol before its first function and one after its last, and the runtime looks up both at start. An
// order file moves functions out from between these symbols: then a deep recursion ends in a segmentation fault, and
// marshalling fails with "abstract value".
//
// For OCamlFDO, which places functions by a linker script, the runtime has two further symbols, each in a section of its
// own: what a linker places between `caml_hot__code_begin` and `caml_hot__code_end` is also OCaml's code. Without a
// script, nothing is between them. So in an order file, the two symbols are before and after the ordered functions of
// OCaml. Functions in C follow the second symbol: if a function in C were between the two and overflowed the stack, the
// runtime would use registers that C uses for other things.
//
// Source: runtime/startup_nat.c, runtime/signals_nat.c and runtime/amd64.S of OCaml 4.10 to 5.3. Only a compiler that
// was configured with function sections (as Debian's is) has these symbols. The names have `__` before `code_begin` up to
// OCaml 5.0, then `.` or `$`.

import Addresses
import ImageModel
import OrderFileFormat
import Symbolication

/// The code of OCaml in a layout.
struct OCamlCode {
  /// The entries before and after the ordered functions of OCaml.
  let begin: OrderFileEntry
  let end: OrderFileEntry
  /// The code of each module, ascending.
  private let modules: [AddressRange]

  /// - Returns: `nil` if the layout lacks the two symbols, as do all programs in other languages.
  /// - Complexity: O(*n* log *n*) for *n* functions of an OCaml program, O(1) for another.
  init?(in map: SymbolMap) {
    let layout = map.layout
    let hot = ["caml_hot__", "caml_hot.", "caml_hot$"].first {
      !map.functions(named: Array(($0 + OCamlBounds.beginning).utf8)[...]).isEmpty
        && !map.functions(named: Array(($0 + OCamlBounds.ending).utf8)[...]).isEmpty
    }
    guard let hot else { return nil }
    begin = Self.entry(of: Array((hot + OCamlBounds.beginning).utf8))
    end = Self.entry(of: Array((hot + OCamlBounds.ending).utf8))
    modules = layout.functions.compactMap { function in
      let name = layout.names[function.name]
      let module = name.dropLast(OCamlBounds.beginning.utf8.count)
      guard name.starts(with: "caml".utf8),
        name.dropFirst(module.count).elementsEqual(OCamlBounds.beginning.utf8),
        let last = map.functions(named: module + Array(OCamlBounds.ending.utf8)).first,
        case let end = layout.functions[last].address, end >= function.address
      else { return nil }
      return AddressRange(start: function.address, size: end - function.address)
    }
  }

  /// Returns `parts` of the layout in the same order: the parts of functions in OCaml, and the other parts.
  func separated(_ parts: [Part], in layout: Layout) -> (ocaml: [Part], others: [Part]) {
    var separated: (ocaml: [Part], others: [Part]) = ([], [])
    for part in parts {
      if contains(layout.functions[part.function]) {
        separated.ocaml.append(part)
      } else {
        separated.others.append(part)
      }
    }
    return separated
  }

  /// Whether the function is written in OCaml, or is a function of the runtime that OCaml calls like its own functions.
  private func contains(_ function: PlacedSymbol) -> Bool {
    let place = modules.partitioningIndex { $0.start > function.address }
    return place > 0 && modules[place - 1].contains(function.address)
  }

  /// The entry of a function of OCaml. The compiler names its section for OCaml as well as for the function.
  static func entry(of symbol: [UInt8]) -> OrderFileEntry {
    OrderFileEntry(symbol: symbol, section: Array(".text.caml.".utf8) + symbol)
  }
}
