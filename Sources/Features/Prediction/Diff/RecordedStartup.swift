// Several launches merged for a prediction
//
// As for an order file (`UsedFunctions`), each launch adds only its new information. A recorded function is looked up
// in the layouts once for each recorded build. So memory grows with the number of distinct functions and blocks. For
// each launch, only one number is kept for each function that it used.

import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import Rendering
import Symbolication
import TraceSymbolication

/// The startup functions of launches, matched with the functions of each layout.
struct RecordedStartup {
  /// A function of a recorded build.
  private struct Body: Hashable {
    /// The index in `builds` of the build that contains the function.
    var build: Int
    var address: StatedAddress
  }

  /// How a trace describes a function, and the matching functions of the layouts.
  private struct Description {
    var size: UInt64?
    var names: [SymbolName]
    var objectFile: SymbolName?
    var function: MatchedFunction

    func isThat(of use: RecordedFunctions.Use) -> Bool {
      size == use.size && objectFile == use.objectFile && names == use.names
    }
  }

  private let layouts: PredictedLayouts
  private var maps: SymbolMaps
  private let pairs: UnnamedFunctionPairs?
  private var blocks: ExecutedBlocks
  private var builds: [Build: Int] = [:]
  private var descriptions: [Body: Description] = [:]
  /// Further descriptions of bodies: traces describe a function alike, unless some were sealed without all symbols.
  private var otherDescriptions: [Body: [Description]] = [:]
  private var placeOfUse: [MatchedFunction.Identity: Int] = [:]
  /// Used code without a name by which it could be found in a layout.
  private var unplacedCode: Set<UnplacedCode> = []
  /// The number of pieces of `unplacedCode`.
  var unplaced: Int { unplacedCode.count }

  /// Code of the recorded image.
  private struct UnplacedCode: Hashable {
    var image: ImageID?
    var code: RecordedFunctions.UnnamedUse.Code
  }
  /// Whether some of `unplacedCode` was recorded in an image that is none of the layouts' images.
  private var isOfAnotherImage = false

  /// The used functions, each once, launch by launch, in the order of first uses. A function is listed once for each of
  /// its parts that ran.
  var uses: [MatchedFunction] {
    found.map { use in
      var use = use
      if let places = severalBodies[use.functionIdentity] {
        use.bodies = Dictionary(grouping: places, by: \.build).values.map(\.count).max() ?? 1
      }
      return use
    }
  }
  private var found: [MatchedFunction] = []
  /// The first body of the recorded builds that matches a function of the layouts.
  private var firstBody: [MatchedFunction.FunctionIdentity: Body] = [:]
  /// All bodies that match a function, if there are several.
  private var severalBodies: [MatchedFunction.FunctionIdentity: Set<Body>] = [:]

  private struct Build: Hashable {
    var image: ImageID?
    var path: String
  }
  /// The uses of each launch, as indexes into `uses`.
  private(set) var launches: [Launch] = []

  struct Launch {
    /// The index of the launch among all launches of the command.
    var number: Int
    var path: String
    /// The number of launches that this launch counts as.
    var weight: UInt64
    var uses: [Int]
  }

  /// Why the last layout has no function with a name, by name.
  private(set) var absences: [SymbolName: MissingReason] = [:]

  /// - Parameter recordedBuild: reads a recorded image, if it is still there.
  init(_ layouts: PredictedLayouts, recordedBuild: @escaping (TraceImage) -> ReleaseLayout?) {
    self.layouts = layouts
    maps = SymbolMaps(layouts)
    pairs =
      layouts.all.count > 1
      ? UnnamedFunctionPairs(before: layouts.first.layout, after: layouts.last.layout) : nil
    blocks = ExecutedBlocks(of: layouts, recordedBuild: recordedBuild)
  }

  /// Adds a launch after the launches so far, or further uses of the last launch.
  mutating func append(_ launch: RecordedFunctions, _ source: LaunchFolding.LaunchSource) {
    let build = number(of: launch.image)
    var named: [MatchedFunction] = []
    for use in launch.uses {
      named.append(function(blocks.owner(of: use, in: launch.image), of: launch.image, build))
    }
    for (use, function) in zip(launch.uses, named) {
      note(Body(build: build, address: use.address), as: function)
    }
    var unnamed: [(step: Int, function: MatchedFunction)] = []
    for use in launch.unnamedUses {
      if let function = MatchedFunction(use.code, of: launch.image, in: layouts, pairs) {
        unnamed.append((use.step, function))
      } else {
        unplacedCode.insert(UnplacedCode(image: launch.image.id, code: use.code))
        isOfAnotherImage = isOfAnotherImage || !layouts.include(launch.image)
      }
    }
    if launches.last?.number != source.number, !source.isRest {
      launches.append(
        Launch(number: source.number, path: source.name, weight: source.weight, uses: []))
    }
    for use in blocks.inOrder(launch, named, besides: unnamed) {
      let place = placeOfUse[use.identity] ?? found.count
      if place == found.count {
        placeOfUse[use.identity] = place
        found.append(use)
      }
      if !source.isRest { launches[launches.count - 1].uses.append(place) }
    }
  }

  private mutating func number(of image: TraceImage) -> Int {
    let build = Build(image: image.id, path: image.path)
    let number = builds[build] ?? builds.count
    builds[build] = number
    return number
  }

  private mutating func note(_ body: Body, as function: MatchedFunction) {
    let identity = function.functionIdentity
    guard let first = firstBody[identity] else {
      firstBody[identity] = body
      return
    }
    if first != body { severalBodies[identity, default: [first]].insert(body) }
  }

  /// Finds `use` in the layouts, and notes why the last layout lacks its name.
  private mutating func function(
    _ use: RecordedFunctions.Use, of image: TraceImage, _ build: Int
  ) -> MatchedFunction {
    let body = Body(build: build, address: use.address)
    let first = descriptions[body]
    if let first, first.isThat(of: use) { return first.function }
    if first != nil, let known = otherDescriptions[body]?.first(where: { $0.isThat(of: use) }) {
      return known.function
    }
    let function = MatchedFunction(use, of: image, in: layouts, &maps)
    let description = Description(
      size: use.size, names: use.names, objectFile: use.objectFile, function: function)
    if first == nil {
      descriptions[body] = description
    } else {
      otherDescriptions[body, default: []].append(description)
    }
    if let name = function.name, let reason = maps.absence(of: name) { absences[name] = reason }
    return function
  }

  /// The functions whose basic blocks in the last layout differ from the recorded build; `nil` if they are unknown.
  var drifted: [NameWithReason]? { blocks.drifted }

  var warnings: [Diagnostic] {
    guard unplaced > 0 else { return blocks.warnings }
    return blocks.warnings + [
      Diagnostic(
        "\(counted(unplaced, "startup function")) without a name cannot be found in the layouts",
        hint: isOfAnotherImage
          ? "record one of the two images with 'orderfile record --breakpoints'" : nil)
    ]
  }
}
