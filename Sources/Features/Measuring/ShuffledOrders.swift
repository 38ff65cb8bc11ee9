// Random layouts
//
// The functions of a build are listed in the order of their addresses. A function that the order file names is used by
// launches, and stays at its place in the list. The other functions change places among themselves, in a random
// permutation (the algorithm of Fisher and Yates in Durstenfeld's form). Among these other functions, for i from the
// last place down to the second, the function at place i changes places with the function at place
// floor(r * (i + 1) / 2^64), where r is the next number of the generator. Places count from 0.
//
// The generator is SplitMix64 (`SeededGenerator`), which begins at first(seed) + 2 * layout + build: first(seed) is the
// first number of a generator that begins at the seed. Layouts count from 0. The build before is 0, and the build after
// is 1. So the layouts of both builds, and of neighbouring seeds, are independent, and the same seed gives the same bytes
// on each machine.

import ByteReading
import CommandSupport
import ImageModel
import LaunchMeasurement
import OrderFileFormat
import OrderFileMatching
import Rendering
import Symbolication

/// Order files that place the functions that no launch uses at random.
package struct ShuffledOrders {
  private let dialect: OrderFileDialect
  private let map: SymbolMap
  /// The functions of the build, one function for each address, ascending.
  private let functions: [Int]
  /// The indexes into `functions` of functions that launches do not use, ascending.
  private let unused: [Int]

  /// - Parameters:
  ///   - release: the build.
  ///   - order: the order file that names the functions that launches use.
  package init(_ release: ReleaseLayout, using order: OrderFile) {
    let layout = release.layout
    dialect = order.dialect
    map = SymbolMap(layout)
    let used = Set(
      order.parts(in: layout, architecture: release.architecture).flatMap { $0 }
        .map { layout.aliases(of: $0.function).lowerBound })
    let functions = layout.functions.indices.filter { layout.aliases(of: $0).lowerBound == $0 }
    self.functions = functions
    unused = functions.indices.filter { !used.contains(functions[$0]) }
  }

  /// The number of functions that change places.
  package var unusedCount: Int { unused.count }

  /// Returns the order file of a layout.
  ///
  /// - Parameters:
  ///   - layout: the number of the layout, from 0.
  ///   - build: 0 for the build before, 1 for the build after.
  /// - Complexity: O(*n*) for *n* functions, on average.
  package func bytes(seed: UInt64, layout: Int, build: Int) -> [UInt8] {
    var seeds = SeededGenerator(seed: seed)
    var generator = SeededGenerator(seed: seeds.next() &+ 2 &* UInt64(layout) &+ UInt64(build))
    var shuffled = unused
    for place in stride(from: shuffled.count - 1, to: 0, by: -1) {
      let other = Int(generator.next().multipliedFullWidth(by: UInt64(place + 1)).high)
      shuffled.swapAt(place, other)
    }
    var order = functions
    for (place, function) in zip(unused, shuffled) { order[place] = functions[function] }
    let entries = PlacingEntries(
      of: order.flatMap { map.layout.aliases(of: $0).map { Part($0) } }, in: map, for: dialect
    ).entries
    return dialect.write(
      entries, header: ["orderfile \(toolVersion): layout \(layout) of seed \(seed)"]
    ).bytes
  }

  /// Checks that a linked image has the layout of an order file.
  ///
  /// - Throws: an error if less than nine tenths of the functions are in the order of the file.
  package func check(_ bytes: [UInt8], of image: String, option: String) throws(Diagnostic) {
    let linked = try ReleaseLayout(path: image)
    let order = try InputFile.orderFile(FileBytes(bytes), image, of: linked.layout.imageFormat)
    let check = OrderFileCheck(order, layout: linked.layout, architecture: linked.architecture)
    guard check.present == 0 || check.inOrder < check.present - check.present / 10 else { return }
    throw Diagnostic(
      "the link does not follow the order file: expected \(counted(check.present, "function")) in its order, found \(check.inOrder)",
      context: [option],
      hint: "let the command link with $ORDERFILE_ORDER, and compile with -ffunction-sections")
  }
}
