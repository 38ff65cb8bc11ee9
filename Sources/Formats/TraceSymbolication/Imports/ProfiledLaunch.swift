import ByteReading
import ImageModel
import Symbolication
import TemporalProfileFormat

extension ImportedLaunch {
  /// Reads one trace of an LLVM profile. Names from another build of the program are matched as in `SymbolMap.resolve`;
  /// a name that several functions have adds all of them, unless the image knows object files and one object file is
  /// named after the source file of the function.
  ///
  /// - Parameters:
  ///   - map: the functions of `image`. All traces share one map, because it remembers what it has looked up.
  /// - Complexity: O(*n*) for *n* bytes of names; once O(*b*) for *b* bytes in the names of the image.
  package init(
    _ trace: TemporalProfile.Trace, of profile: TemporalProfile, _ image: Image,
    names map: inout SymbolMap
  ) {
    self.init(image)
    let bytes = profile.bytes
    let format = image.layout.imageFormat
    func resolve(_ name: TemporalProfile.Name) -> Resolution {
      var resolution = Resolution.missing(.noSuchSymbol)
      for spelling in format.spellings(ofProfiled: bytes.copy(name.symbol)) {
        resolution = map.resolve(
          SymbolName(bytes: spelling), compiledFrom: name.file.map { bytes.copy($0) })
        guard case .missing = resolution else { break }
      }
      return resolution
    }
    profile.forEachName(of: trace) { name in
      var resolution = resolve(name)
      if case .missing = resolution, let older = profile.olderForm(of: name) {
        let found = resolve(older)
        if !found.functions.isEmpty { resolution = found }
      }
      add(SymbolName(bytes: bytes.copy(name.symbol)), resolution, line: trace.line)
    }
    explainMissing()
  }
}

extension ImageFormat {
  /// The possible symbols of a function that a profile calls `name`. A profile omits Mach-O's underscore, and does not
  /// mark the names without one, which are Objective-C's.
  fileprivate func spellings(ofProfiled name: [UInt8]) -> [[UInt8]] {
    prefixesUnderscore ? [[UInt8(ascii: "_")] + name, name] : [name]
  }
}

extension SymbolMap {
  /// Resolves the name of a function that was compiled from the source file `file`. Compilers and build systems name
  /// object files `f.o` or `f.c.o`.
  fileprivate mutating func resolve(
    _ name: SymbolName, compiledFrom file: [UInt8]?
  ) -> Resolution {
    guard let file, layout.knowsObjectFiles else { return resolve(name) }
    let leaf = file.split(separator: UInt8(ascii: "/")).last ?? []
    let stem = leaf.lastIndex(of: UInt8(ascii: ".")).map { leaf[..<$0] } ?? leaf
    for base in [leaf, stem] {
      let found = resolve(name, from: SymbolName(bytes: Array(base) + Array(".o".utf8)))
      if case .exact(let functions) = found, !isAmbiguous(functions, for: name) { return found }
    }
    return resolve(name)
  }
}

extension Layout {
  /// Whether functions have object files. If one function has an object file, all have.
  fileprivate var knowsObjectFiles: Bool {
    functions.first.map { $0.objectFile != nil || $0.compiledObjectFile != nil } ?? false
  }
}
