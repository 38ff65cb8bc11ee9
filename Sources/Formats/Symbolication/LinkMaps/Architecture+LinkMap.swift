import ImageModel
import LinkMapFormat

extension Architecture {
  /// The architecture that the image of `map` was linked for; `nil` if the map does not state it, as in maps of ELF
  /// linkers.
  package init?(_ map: LinkMap) {
    guard let name = map.architecture else { return nil }
    self.init(map.string(name))
  }
}
