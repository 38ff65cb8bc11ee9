// Several launches merged
//
// Thousands of launches of a program use the same functions. So for each launch only new information is kept:
// a new function with its position, or one more use of a known function. Names are resolved once, after all
// launches.
//
//     launch 1     main parse log           main 1.0, parse 1.1, log 1.2
//     launch 2     main open parse          main 1.0, parse 1.1, log 1.2, open 2.1
//
// Builds of the same program may be mixed: a function is identified by its names and object file, because
// only these are stable between builds. In launches of the very build that is to be ordered it is identified by its
// address too: names do not distinguish namesakes.
//
// Beside that, the whole sequence of each launch is kept as numbers of functions: 8 bytes for each use.

import Addresses
import ImageModel

/// The functions that launches used in one image, each once.
package struct LaunchProfile: Sendable {
  package struct Function: Equatable, Sendable {
    /// The aliases, ascending bytewise.
    package var names: [SymbolName]
    /// As in `RecordedFunctions.Use`.
    package var objectFile: SymbolName?
    /// The address in the build to order; `nil` if another build was launched.
    package var address: StatedAddress?
    /// The first launch that used it, from 0, and the step in that launch.
    package var launch: Int
    package var step: Int
    /// The number of bodies that it stands for. It is 1, unless there are several functions with the same names and
    /// object file: then it is the largest number of them that one launch used.
    package var bodyCount: Int
    /// The newest launch that used it, and the number of bodies that this launch has used so far.
    fileprivate var newest: (launch: Int, bodies: Int)?

    package static func == (a: Function, b: Function) -> Bool {
      a.names == b.names && a.objectFile == b.objectFile && a.address == b.address
        && a.launch == b.launch && a.step == b.step && a.bodyCount == b.bodyCount
    }
  }

  private struct Key: Hashable {
    var names: [SymbolName]
    var objectFile: SymbolName?
    var address: StatedAddress?
  }

  /// The use of a function in one launch.
  package struct Use: Equatable, Sendable {
    /// Index into the profile's `functions`.
    package var function: UInt32
    package var step: UInt32
  }

  /// Ascending by launch, and within a launch by first use.
  package private(set) var functions: [Function] = []
  /// What each launch used.
  package private(set) var launches: [[Use]] = []
  package var launchCount: Int { launches.count }
  /// The number of hits in no function with a name.
  package private(set) var unnamedHits = 0
  private var placeOfKey: [Key: Int] = [:]

  package init() {}

  /// Adds a launch after the others.
  ///
  /// - Parameter keepsAddresses: whether it was a launch of the build to order.
  /// - Complexity: O(*b*) for *b* bytes in the names of what it used.
  package mutating func append(_ launch: RecordedFunctions, keepsAddresses: Bool = false) {
    var uses: [Use] = []
    for use in launch.uses {
      let place = place(
        of: Function(
          names: use.names, objectFile: use.objectFile,
          address: keepsAddresses ? use.address : nil, launch: launchCount, step: use.step,
          bodyCount: 0))
      let newest = functions[place].newest
      let bodies = newest?.launch == launchCount ? (newest?.bodies ?? 0) + 1 : 1
      functions[place].newest = (launchCount, bodies)
      functions[place].bodyCount = max(functions[place].bodyCount, bodies)
      uses.append(Use(function: UInt32(clamping: place), step: UInt32(clamping: use.step)))
    }
    launches.append(uses)
    unnamedHits += launch.unnamedUses.count
  }

  /// Adds the launches of `other` after these. This is associative: launches can be merged in any grouping.
  ///
  /// - Complexity: O(*b*) for *b* bytes in the names of `other`.
  package mutating func append(_ other: LaunchProfile) {
    var places: [UInt32] = []
    for var function in other.functions {
      function.launch += launchCount
      function.newest = nil
      let place = place(of: function)
      places.append(UInt32(clamping: place))
      functions[place].bodyCount = max(functions[place].bodyCount, function.bodyCount)
    }
    launches += other.launches.map { launch in
      launch.map { Use(function: places[Int($0.function)], step: $0.step) }
    }
    unnamedHits += other.unnamedHits
  }

  /// The index of the function with the names and object file of `function`, which is appended if there is none yet.
  private mutating func place(of function: Function) -> Int {
    let key = Key(
      names: function.names, objectFile: function.objectFile, address: function.address)
    if let known = placeOfKey[key] { return known }
    placeOfKey[key] = functions.count
    functions.append(function)
    return functions.count - 1
  }
}
