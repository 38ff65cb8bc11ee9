// Launches folded together for a comparison
//
// As for an order file (`LaunchProfile`), of each launch only that is kept which the launches before it did not
// tell. What a recorded function is in the two layouts is looked up once for each build that was recorded. So memory
// grows with the distinct functions and blocks, and not with the launches.

import Addresses
import FaultEstimate
import ImageModel
import Reporting
import Symbolication

/// The startup functions of launches as each of two layouts knows them.
struct RecordedStartup {
  /// What tells a recorded function and what it is in the layouts.
  private struct Recorded: Hashable {
    var image: ImageID?
    var path: String
    var address: StatedAddress
    var size: UInt64?
    var names: [SymbolName]
    var objectFile: SymbolName?
  }

  private let layouts: ComparedLayouts
  private var maps: SymbolMaps
  private let pairs: UnnamedFunctionPairs?
  private var blocks: ExecutedBlocks
  private var known: [Recorded: StartupFunction] = [:]
  private var isUsed: Set<StartupFunction> = []
  /// What was used without a name by which a layout could have it.
  private var unplacedCode: Set<UnplacedCode> = []
  /// How many pieces of code these are.
  var unplaced: Int { unplacedCode.count }

  /// In the image that it was recorded in.
  private struct UnplacedCode: Hashable {
    var image: ImageID?
    var address: StatedAddress?
  }

  /// Each once, in the order of first uses, launch by launch; a function once for each part of it that ran.
  private(set) var uses: [StartupFunction] = []
  /// Why the layout after has no function of that name.
  private(set) var absences: [SymbolName: MissingReason] = [:]

  init(_ layouts: ComparedLayouts) {
    self.layouts = layouts
    maps = SymbolMaps(layouts)
    pairs = UnnamedFunctionPairs(before: layouts.before.layout, after: layouts.after.layout)
    blocks = ExecutedBlocks(before: layouts.before, after: layouts.after)
  }

  /// Adds a launch behind the others.
  mutating func append(_ launch: RecordedFunctions) {
    let named = launch.uses.map { function($0, of: launch.image) }
    var unnamed: [(step: Int, function: StartupFunction)] = []
    for use in launch.unnamedUses {
      let function = pairs.flatMap {
        StartupFunction(
          use, of: launch.image, before: layouts.before, after: layouts.after, $0)
      }
      if let function {
        unnamed.append((use.step, function))
      } else {
        unplacedCode.insert(
          UnplacedCode(image: launch.image.id, address: use.address))
      }
    }
    for use in blocks.inOrder(launch, named, besides: unnamed)
    where isUsed.insert(use).inserted {
      uses.append(use)
    }
  }

  /// What the layouts know `use` as; notes which names the layout after lacks.
  private mutating func function(
    _ use: RecordedFunctions.Use, of image: TraceImage
  ) -> StartupFunction {
    let key = Recorded(
      image: image.id, path: image.path, address: use.address, size: use.size,
      names: use.names, objectFile: use.objectFile)
    if let function = known[key] { return function }
    let function = StartupFunction(use, of: image, in: layouts, &maps)
    known[key] = function
    if let name = function.name, case .missing(let reason) = maps.after.resolve(name) {
      absences[name] = reason
    }
    return function
  }

  var warnings: [Diagnostic] {
    guard unplaced > 0 else { return blocks.warnings }
    return blocks.warnings + [
      Diagnostic(
        "\(counted(unplaced, "startup function")) without a name: where "
          + "\(unplaced == 1 ? "it lies" : "they lie") is unknown",
        hint: "record one of the two images with 'orderfile record --breakpoints'")
    ]
  }
}

/// The functions of two layouts by name.
struct SymbolMaps {
  var before: SymbolMap
  var after: SymbolMap

  init(_ layouts: ComparedLayouts) {
    before = SymbolMap(layouts.before.layout)
    after = SymbolMap(layouts.after.layout)
  }
}
