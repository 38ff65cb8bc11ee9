// What launches used in the builds of one image, by names
//
// A profile knows functions by their addresses in builds. Builds of the same program may be mixed, and the build to
// order is usually not among them. So functions of several builds are brought together by their names and object file,
// because only these are stable between builds. In launches of the build to order, the address identifies a function,
// too, because names do not distinguish namesakes.
//
//     build 1, launch 1     main parse log           main   2 of 2 launches, median position 0
//     build 2, launch 2     main open parse          parse  2 of 2, 1
//                                                    open   1 of 2, 1
//                                                    log    1 of 2, 2
//
// Nothing here depends on the order in which launches were given.

import Addresses
import ImageModel
import ProfileFormat

/// The functions that launches used in builds of one image.
package struct UsedFunctions: Sendable {
  package struct Function: Equatable, Sendable {
    /// The aliases, ascending bytewise.
    package var names: [SymbolName]
    /// The object file of the function, as in `RecordedFunctions.Use`.
    package var objectFile: SymbolName?
    /// The address in the build to order; `nil` if another build was launched.
    package var address: StatedAddress?
    /// The number of bodies that this function represents. Launches may have used several bodies with the same names and
    /// object file in one build: the number is the largest count of equal bodies in any one build. Otherwise it is 1.
    package var bodyCount = 1
    /// The number of launches that used the function. If it represents several bodies of a build, only the launches of
    /// the most used body count.
    package var launches: UInt64 = 0
    /// The number of functions of the image that were used before this function, in each launch.
    package var positions = PositionHistogram()
    /// The earliest first use in any launch; `nil` if no launch has times.
    package var firstNanoseconds: UInt64?
  }

  /// A whole launch: the profile keeps it as it was.
  package struct Launch: Equatable, Sendable {
    /// The number of launches that used exactly these functions in this order.
    package var weight: UInt64
    /// The used functions, each once, as indexes into `functions`, in the order of first uses.
    package var functions: [Int]
  }

  fileprivate struct Key: Hashable {
    var names: [SymbolName]
    var objectFile: SymbolName?
    var address: StatedAddress?
  }

  /// The functions: first the functions of the first whole launch in their order, then the functions that the second
  /// launch adds, and so on. Then the functions that no whole launch used, the most used first.
  package private(set) var functions: [Function] = []
  /// The whole launches, sorted by weight, the heaviest first; launches of equal weight by the number of functions, the
  /// largest first.
  package private(set) var launches: [Launch] = []
  /// The number of launches that used the image.
  package private(set) var launchCount: UInt64 = 0
  /// The number of hits in code without a name.
  package private(set) var unnamedHits = 0

  package init() {}

  /// - Parameters:
  ///   - images: indexes of images of `profile` that are builds of one program or library.
  ///   - build: the ID of the build to order, if known.
  /// - Complexity: O(*n* log *n*) for *n* bytes in the file of the profile.
  package init(_ profile: Profile, images: [Int], build: ImageID?) {
    let isMember = Set(images)
    let ordered = OnlyBodies(profile, images, build)
    var unnamed: UInt64 = 0
    var placeOfKey: [Key: Int] = [:]
    var placeOfFunction = [Int?](repeating: nil, count: profile.functions.count)
    var bodies: [[Int: (count: Int, most: UInt64)]] = []
    for (index, recorded) in profile.functions.enumerated() where isMember.contains(recorded.image)
    {
      guard !recorded.names.isEmpty else {
        unnamed.addSaturating(recorded.support)
        continue
      }
      let key = Key(
        names: recorded.names, objectFile: recorded.objectFile,
        address: ordered.address(of: recorded))
      let place = placeOfKey[key] ?? functions.count
      if place == functions.count {
        placeOfKey[key] = place
        functions.append(
          Function(names: key.names, objectFile: key.objectFile, address: key.address))
        bodies.append([:])
      }
      placeOfFunction[index] = place
      let known = bodies[place][recorded.image] ?? (0, 0)
      bodies[place][recorded.image] = (known.count + 1, max(known.most, recorded.support))
      functions[place].positions.add(recorded.positions)
      if let time = recorded.firstNanoseconds {
        functions[place].firstNanoseconds = min(functions[place].firstNanoseconds ?? .max, time)
      }
    }
    for place in functions.indices {
      functions[place].bodyCount = bodies[place].values.map(\.count).max() ?? 1
      functions[place].launches = bodies[place].values.reduce(into: 0) { $0.addSaturating($1.most) }
    }
    for image in images {
      launchCount.addSaturating(profile.images[image].launches)
      unnamed.addSaturating(profile.images[image].unnamedHits)
    }
    unnamedHits = Int(clamping: unnamed)
    sortByKey(&placeOfFunction)
    readLaunches(profile.launches, placeOfFunction)
    sortByUse()
  }

  /// Orders functions by their keys, so that launches can be compared by the numbers of their functions.
  private mutating func sortByKey(_ places: inout [Int?]) {
    let order = functions.indices.sorted { functions[$0].precedes(functions[$1]) }
    var ranks = [Int](repeating: 0, count: order.count)
    for (rank, place) in order.enumerated() { ranks[place] = rank }
    functions = order.map { functions[$0] }
    places = places.map { $0.map { ranks[$0] } }
  }

  private mutating func readLaunches(_ whole: [Profile.Launch], _ places: [Int?]) {
    var weights: [[Int]: UInt64] = [:]
    for launch in whole {
      var isUsed: Set<Int> = []
      let used = launch.functions.compactMap { places[Int($0)] }
        .filter { isUsed.insert($0).inserted }
      if !used.isEmpty { weights[used, default: 0].addSaturating(launch.weight) }
    }
    launches = weights.map { Launch(weight: $0.value, functions: $0.key) }.sorted { a, b in
      if a.weight != b.weight { return a.weight > b.weight }
      if a.functions.count != b.functions.count { return a.functions.count > b.functions.count }
      return a.functions.lexicographicallyPrecedes(b.functions)
    }
  }

  private mutating func sortByUse() {
    var isListed = [Bool](repeating: false, count: functions.count)
    var order: [Int] = []
    for function in launches.lazy.flatMap(\.functions) where !isListed[function] {
      isListed[function] = true
      order.append(function)
    }
    order += functions.indices.filter { !isListed[$0] }.sorted { a, b in
      let (medianA, medianB) = (functions[a].positions.median, functions[b].positions.median)
      return (functions[b].launches, medianA ?? 0, a) < (functions[a].launches, medianB ?? 0, b)
    }
    var ranks = [Int](repeating: 0, count: order.count)
    for (rank, function) in order.enumerated() { ranks[function] = rank }
    functions = order.map { functions[$0] }
    for launch in launches.indices {
      launches[launch].functions = launches[launch].functions.map { ranks[$0] }
    }
  }

  /// Removes the functions that fewer than `least` launches used.
  ///
  /// - Returns: the removed functions.
  package mutating func removeFunctions(usedBelow least: UInt64) -> [Function] {
    var ranks = [Int?](repeating: nil, count: functions.count)
    var kept: [Function] = []
    var removed: [Function] = []
    for (index, function) in functions.enumerated() {
      guard function.launches >= least else {
        removed.append(function)
        continue
      }
      ranks[index] = kept.count
      kept.append(function)
    }
    functions = kept
    for launch in launches.indices {
      launches[launch].functions = launches[launch].functions.compactMap { ranks[$0] }
    }
    launches.removeAll { $0.functions.isEmpty }
    return removed
  }
}

/// Matches functions of other builds with functions of the build to order. Two functions match if their names and
/// object file are equal, and launches used no other body with these names and this object file in either build.
private struct OnlyBodies {
  /// The indexes of the images in the profile that are the build to order.
  private var ordered: Set<Int> = []
  private var bodies: [UsedFunctions.Key: (address: StatedAddress, count: Int)] = [:]
  private var isRepeated: Set<BuildKey> = []

  private struct BuildKey: Hashable {
    var image: Int
    var key: UsedFunctions.Key
  }

  init(_ profile: Profile, _ images: [Int], _ build: ImageID?) {
    guard let build, build.kind != .weak else { return }
    ordered = Set(images.filter { profile.images[$0].id == build })
    guard !ordered.isEmpty, images.count > ordered.count else { return }
    let isMember = Set(images)
    var isKnown: Set<BuildKey> = []
    for function in profile.functions where isMember.contains(function.image) {
      let key = UsedFunctions.Key(names: function.names, objectFile: function.objectFile)
      if ordered.contains(function.image) {
        bodies[key, default: (function.address, 0)].count += 1
      } else {
        let key = BuildKey(image: function.image, key: key)
        if !isKnown.insert(key).inserted { isRepeated.insert(key) }
      }
    }
  }

  /// The address of `function` in the build to order; `nil` if it is not known.
  func address(of function: Profile.Function) -> StatedAddress? {
    if ordered.contains(function.image) { return function.address }
    let key = UsedFunctions.Key(names: function.names, objectFile: function.objectFile)
    guard let body = bodies[key], body.count == 1,
      !isRepeated.contains(BuildKey(image: function.image, key: key))
    else { return nil }
    return body.address
  }
}

extension UsedFunctions.Function {
  /// Orders functions by names, object file and address: a total order within one profile.
  fileprivate func precedes(_ other: Self) -> Bool {
    if names != other.names { return names.lexicographicallyPrecedes(other.names) }
    if objectFile != other.objectFile {
      guard let objectFile, let file = other.objectFile else { return objectFile == nil }
      return objectFile < file
    }
    guard let address, let second = other.address else {
      return address == nil && other.address != nil
    }
    return address < second
  }
}
