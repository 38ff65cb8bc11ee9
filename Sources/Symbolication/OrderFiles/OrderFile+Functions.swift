import ImageModel
import OrderFileFormat

extension OrderFile {
  /// For each entry the functions of `layout` that it places, by their indexes; none for one that names
  /// nothing of it, and for one that an equal entry outdoes.
  ///
  /// - Parameter architecture: of the layout; `nil` is the first one that the file names.
  /// - Complexity: O(*n* + *e*) for *n* functions and *e* entries, on average.
  package func functions(in layout: Layout, architecture: Architecture? = nil) -> [[Int]] {
    var functions = [[Int]](repeating: [], count: entries.count)
    for wish in OrderWishes(self, in: layout, architecture: architecture).wishes {
      for found in wish.found { functions[found.entry].append(found.function) }
    }
    return functions
  }
}
