import Addresses
import CommandSupport
import ImageModel
import InstructionDecoding
import Symbolication

/// A build with a map of its basic blocks.
struct MappedRelease {
  let release: ReleaseLayout
  let map: BlockMap
  /// The code of the blocks; `nil` if the image is no ELF file.
  let contents: BlockContents?
  /// The functions by name. A lookup is kept, so that each name is looked up once for all launches.
  private var symbols: SymbolMap

  init(_ release: ReleaseLayout, _ map: BlockMap, _ symbols: SymbolMap) {
    self.release = release
    self.map = map
    self.symbols = symbols
    contents = release.blockContents(map)
  }

  /// Returns the functions that correspond to a function called `name` in another build, each once.
  mutating func functions(named name: SymbolName) -> [BlockMap.Function] {
    let layout = release.layout
    let places = Set(symbols.resolve(name).functions.map { layout.functions[$0].address })
    return places.sorted().compactMap(map.function(at:))
  }

  /// Whether a function corresponds to a function called `name` in another build.
  mutating func hasFunction(named name: SymbolName) -> Bool {
    !symbols.resolve(name).functions.isEmpty
  }

  /// Returns all names of the function at `entry`.
  func names(at entry: StatedAddress) -> [SymbolName] {
    let layout = release.layout
    return layout.functions[layout.functions(at: entry)].map { layout.name(of: $0) }
  }
}
