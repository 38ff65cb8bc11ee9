import Addresses
import ByteReading
import ImageModel

extension Profile {
  /// Whether `bytes` begin like a profile of any version.
  package static func begins(_ bytes: FileBytes) -> Bool {
    bytes.count >= magic.count && magic.indices.allSatisfy { bytes[$0] == magic[$0] }
  }

  /// Reads a profile.
  ///
  /// Numbers that contradict each other, and tables that are out of order, are errors.
  ///
  /// - Throws: `unsupported` for another version, `truncated` or `invalid` with the field and its offset.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    var reader = ProfileReader(bytes)
    self = try reader.read()
  }
}

private struct ProfileReader {
  private var input: ByteCursor
  private var profile = Profile()
  private var texts: [SymbolName] = []
  /// The last launch, from 1, that used each function and, after the functions, each datum.
  private var lastLaunch: [UInt8] = []

  init(_ bytes: FileBytes) { input = ByteCursor(bytes) }

  mutating func read() throws(ParseError) -> Profile {
    guard Profile.begins(input.bytes) else {
      throw ParseError(
        .invalid(expected: "a profile", found: "other bytes"), "magic", at: input.position)
    }
    try input.skip(UInt64(Profile.magic.count), "magic")
    let place = input.position
    let version = try input.read(UInt32.self, "version")
    guard version == Profile.version else {
      throw ParseError(
        .unsupported(found: "\(version), this tool reads \(Profile.version)"), "version", at: place)
    }
    try readCounts()
    try readTexts()
    try readImages()
    profile.functions = try readFunctions(usedBy: \.launches)
    profile.data = try readFunctions(usedBy: \.dataLaunches, isData: true)
    try readLaunches()
    try readWorkloads()
    guard input.isAtEnd else {
      throw ParseError(
        .invalid(expected: "the end of the file", found: "\(input.remaining) more bytes"),
        "profile",
        at: input.position)
    }
    return profile
  }

  // MARK: Numbers

  private mutating func number(
    _ field: StaticString, from least: UInt64 = 0, to most: UInt64 = .max
  ) throws(ParseError) -> UInt64 {
    let place = input.position
    let value = try input.readULEB128(field)
    guard value >= least, value <= most else {
      let bounds = most == .max ? "at least \(least)" : "\(least) to \(most)"
      throw ParseError(.invalid(expected: bounds, found: "\(value)"), "\(field)", at: place)
    }
    return value
  }

  /// Reads the number of elements that take at least `size` bytes each.
  private mutating func count(
    _ field: StaticString, of size: UInt64, limit: UInt64 = .max
  ) throws(ParseError) -> Int {
    let place = input.position
    let value = try input.readULEB128(field)
    guard value <= limit else {
      throw ParseError(.tooLarge(limit: limit, found: value), "\(field)", at: place)
    }
    guard value <= input.remaining / size else {
      throw ParseError(
        .truncated(
          needed: value.multipliedReportingOverflow(by: size).partialValue, found: input.remaining),
        "\(field)", at: place)
    }
    return Int(value)
  }

  private mutating func sum(
    _ a: UInt64, _ field: StaticString, from least: UInt64 = 0, to most: UInt64 = .max
  ) throws(ParseError) -> UInt64 {
    let place = input.position
    let (sum, overflow) = a.addingReportingOverflow(try number(field, from: least))
    guard !overflow, sum <= most else {
      throw ParseError(
        .invalid(expected: "at most \(most - min(a, most))", found: "more"), "\(field)", at: place)
    }
    return sum
  }

  /// Reads a number below `limit` that is written as its distance from `old`.
  private mutating func number(
    _ field: StaticString, after old: UInt64, below limit: Int
  ) throws(ParseError) -> Int {
    let place = input.position
    let distance = try input.readULEB128(field)
    let (value, overflow) =
      distance & 1 == 0
      ? old.addingReportingOverflow(distance >> 1)
      : old.subtractingReportingOverflow(distance >> 1)
    guard !overflow, value < limit, distance != 1 else {
      throw ParseError(
        .invalid(expected: "a number below \(limit)", found: "\(overflow ? "none" : "\(value)")"),
        "\(field)", at: place)
    }
    return Int(value)
  }

  /// Reads a histogram with `total` positions.
  private mutating func histogram(
    _ field: StaticString, total: UInt64
  ) throws(ParseError) -> PositionHistogram {
    let place = input.position
    var buckets: [PositionHistogram.Bucket] = []
    var last: UInt64 = 0
    var rest = total
    let count = try count(field, of: 2)
    for index in 0..<count {
      last = try sum(last, field, from: index == 0 ? 0 : 1, to: 255)
      let positions = try number(field, from: 1, to: rest)
      rest -= positions
      buckets.append(PositionHistogram.Bucket(number: UInt8(last), count: positions))
    }
    guard rest == 0 else {
      throw ParseError(
        .invalid(expected: "\(total) positions", found: "\(total - rest)"), "\(field)", at: place)
    }
    return PositionHistogram(buckets)
  }

  // MARK: Tables

  private mutating func readCounts() throws(ParseError) {
    var counts = Profile.Counts()
    let all = try number("launches", to: Profile.maximumLaunches)
    counts.launches = all
    counts.emptyLaunches = try number("launches without records", to: all)
    counts.launchesWithLostRecords = try number("launches with lost records", to: all)
    counts.lostRecords = try number("lost records", from: counts.launchesWithLostRecords)
    counts.launchesEndedInHit = try number("launches that ended in a hit", to: all)
    counts.inFlightRecords = try number("records in flight", from: counts.launchesEndedInHit)
    counts.unattributedHits = try number("hits in no image")
    let place = input.position
    var rest = all
    for end in counts.ended.indices {
      counts.ended[end] = try number("ends of launches", to: rest)
      rest -= counts.ended[end]
    }
    guard rest == 0 else {
      throw ParseError(
        .invalid(expected: "\(all) ends of launches", found: "\(all - rest)"), "ends of launches",
        at: place)
    }
    counts.functions = try histogram("functions of launches", total: all)
    profile.counts = counts
  }

  private mutating func readTexts() throws(ParseError) {
    let count = try count("texts", of: 3, limit: ParsingLimits.profileTexts)
    texts.reserveCapacity(count)
    for _ in 0..<count {
      let place = input.position
      let last = texts.last?.bytes ?? []
      let shared = try number("shared bytes of text", to: UInt64(last.count))
      let size = try number("size of text", from: 1)
      guard ProfileTextRules.isShareable(shared, before: size) else {
        throw ParseError(
          .invalid(expected: "at most 8 times the bytes that follow, and 8", found: "\(shared)"),
          "shared bytes of text", at: place)
      }
      let range = try input.readRange(size, "text")
      var text = Array(last[..<Int(shared)])
      input.bytes.append(range.indices, to: &text)
      guard texts.isEmpty || last.lexicographicallyPrecedes(text),
        Int(shared) == ProfileTextRules.sharedCount(of: text, with: last)
      else {
        throw ParseError(
          .invalid(expected: "texts in order, with what they share", found: "others"), "text",
          at: place)
      }
      texts.append(SymbolName(bytes: text))
    }
  }

  private mutating func readImages() throws(ParseError) {
    let all = profile.counts.launches
    for _ in 0..<(try count("images", of: 15)) {
      let place = input.position
      let path = Int(
        try number("path of image", to: UInt64(max(texts.count, 1) - 1)))
      guard path < texts.count else {
        throw ParseError(.missing, "path of image", at: place)
      }
      let kind = try number("kind of image ID", to: 3)
      let size = try number("size of image ID", to: 255)
      let range = try input.readRange(size, "image ID")
      let id = ImageID.Kind(rawValue: UInt8(kind)).map {
        ImageID(kind: $0, bytes: input.bytes.copy(range.indices))
      }
      guard id != nil || size == 0, let text = String(validating: texts[path].bytes, as: UTF8.self)
      else {
        throw ParseError(
          .invalid(expected: "an ID of a kind, and a path of UTF-8", found: "others"), "image",
          at: place)
      }
      var image = Profile.Image(path: text, id: id)
      image.machine = UInt32(try number("machine of image", to: UInt64(UInt32.max)))
      let methods = try number("methods of image", from: 1, to: 15)
      image.recordingMethods = Set(
        ProfileTextRules.methods.indices.filter { methods >> $0 & 1 == 1 }.map {
          ProfileTextRules.methods[$0]
        })
      image.launches = try number("launches of image", to: all)
      image.programLaunches = try number("launches of program", to: all)
      image.dataLaunches = try number("launches that touched data", to: all)
      let start = StatedAddress(rawValue: try number("start of code"))
      image.text = AddressRange(
        start: start, size: try number("size of code", to: .max - start.rawValue))
      image.guardCount = Int(try number("guards of image", to: UInt64(Int.max)))
      image.blockCount = Int(try number("blocks of image", to: UInt64(Int.max)))
      image.hasExecutedRuns = try number("executed runs of image", to: 1) == 1
      image.unnamedHits = try number("hits without function")
      if let last = profile.images.last, last.key >= image.key {
        throw ParseError(
          .invalid(expected: "images in order", found: "another order"), "image", at: place)
      }
      profile.images.append(image)
    }
  }

  /// - Parameters:
  ///   - launches: how many launches used functions of an image.
  ///   - isData: whether the functions are data, which have no object files and no blocks.
  private mutating func readFunctions(
    usedBy launches: KeyPath<Profile.Image, UInt64>, isData: Bool = false
  ) throws(ParseError) -> [Profile.Function] {
    var functions: [Profile.Function] = []
    for image in profile.images.indices {
      let launches = profile.images[image][keyPath: launches]
      var address = StatedAddress(rawValue: 0)
      var name: UInt64 = 0
      for index in 0..<(try count("functions", of: 8, limit: ParsingLimits.profileFunctions)) {
        address = StatedAddress(
          rawValue: try sum(address.rawValue, "address of function", from: index == 0 ? 0 : 1))
        var function = Profile.Function(image: image, address: address)
        let size = try number("size of function")
        function.size = size == 0 ? nil : size
        for _ in 0..<(try count("names of function", of: 1)) {
          let place = input.position
          name = UInt64(try number("name of function", after: name, below: texts.count))
          let text = texts[Int(name)]
          if let last = function.names.last, last >= text {
            throw ParseError(
              .invalid(expected: "names in order", found: "another order"), "name of function",
              at: place)
          }
          function.names.append(text)
        }
        let file = try number("object file of function", to: isData ? 0 : UInt64(texts.count))
        function.objectFile = file == 0 ? nil : texts[Int(file) - 1]
        function.support = try number("launches of function", from: 1, to: launches)
        let time = try number("first time of function")
        function.firstNanoseconds = time == 0 ? nil : time - 1
        function.positions = try histogram("positions of function", total: function.support)
        function.blocks = try readBlocks(launches: function.support, most: isData ? 0 : .max)
        functions.append(function)
      }
    }
    let count = UInt64(functions.count)
    guard count <= ParsingLimits.profileFunctions else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.profileFunctions, found: count), "functions",
        at: input.position)
    }
    return functions
  }

  private mutating func readBlocks(
    launches: UInt64, most: UInt64
  ) throws(ParseError) -> [Profile.Block] {
    var blocks: [Profile.Block] = []
    var start: UInt64 = 0
    for _ in 0..<(try count("blocks of function", of: 3, limit: most)) {
      let place = input.position
      start = try sum(start, "offset of block")
      let block = FunctionBlock(offset: start, size: try number("size of block"))
      if let last = blocks.last, last.block >= block {
        throw ParseError(
          .invalid(expected: "blocks in order", found: "another order"), "block", at: place)
      }
      blocks.append(
        Profile.Block(block, support: try number("launches of block", from: 1, to: launches)))
    }
    return blocks
  }

  private mutating func readWorkloads() throws(ParseError) {
    for _ in 0..<(try number("workloads", to: UInt64(Profile.keptWorkloads))) {
      let place = input.position
      let range = try input.readRange(try number("size of launch name"), "launch name")
      guard let launch = String(validating: input.bytes.copy(range.indices), as: UTF8.self) else {
        throw ParseError(
          .invalid(expected: "UTF-8", found: "other bytes"), "launch name", at: place)
      }
      var workload = WorkloadSummary(
        launch: launch, commandLine: try input.read(UInt64.self, "hash of command line"),
        inputs: nil)
      if try number("inputs of workload", to: 1) == 1 {
        workload.inputs = try input.read(UInt64.self, "hash of inputs")
      }
      if let last = profile.workloads.last, last >= workload {
        throw ParseError(
          .invalid(expected: "workloads in order", found: "another order"), "workload", at: place)
      }
      profile.workloads.append(workload)
    }
  }

  private mutating func readLaunches() throws(ParseError) {
    lastLaunch = [UInt8](repeating: 0, count: profile.functions.count + profile.data.count)
    let place = input.position
    let count = try number("whole launches", to: UInt64(Profile.keptLaunches))
    for _ in 0..<count {
      let place = input.position
      let launch = try readLaunch()
      if let last = profile.launches.last, last.hash >= launch.hash {
        throw ParseError(
          .invalid(expected: "launches in order", found: "another order"), "hash of launch",
          at: place)
      }
      profile.launches.append(launch)
    }
    let used = profile.counts.launches - profile.counts.emptyLaunches
    let weight = profile.launches.reduce(0 as UInt64) { $0 + $1.weight }
    guard weight <= used, count == UInt64(Profile.keptLaunches) || weight == used else {
      throw ParseError(
        .invalid(expected: "\(used) launches", found: "\(weight)"), "whole launches", at: place)
    }
  }

  private mutating func readLaunch() throws(ParseError) -> Profile.Launch {
    let place = input.position
    let hash = try input.read(UInt64.self, "hash of launch")
    let weight = try number("weight of launch", from: 1, to: profile.counts.launches)
    let count = try count("functions of launch", of: 1)
    let hasBlocks = try number("blocks of launch", to: 1) == 1
    var launch = Profile.Launch(hash: hash, weight: weight)
    launch.functions.reserveCapacity(count)
    var content = GrowingHash()
    // The file has first the images whose functions a launch used, then the images whose data it touched.
    var part = -1
    let ordinal = UInt8(profile.launches.count + 1)
    let functionCount = profile.functions.count
    var last: UInt64 = 0
    for _ in 0..<count {
      let place = input.position
      let index = try number("function of launch", after: last, below: lastLaunch.count)
      last = UInt64(index)
      let isData = index >= functionCount
      let function = isData ? profile.data[index - functionCount] : profile.functions[index]
      let next = function.image + (isData ? profile.images.count : 0)
      guard next >= part, lastLaunch[index] < ordinal else {
        throw ParseError(
          .invalid(expected: "each function once, image by image", found: "another order"),
          "function of launch", at: place)
      }
      lastLaunch[index] = ordinal
      if next > part { content.add(profile.images[function.image], isData: isData) }
      part = next
      let blocks = hasBlocks ? try readBlocks(of: function) : []
      content.add(function.address, blocks: blocks.lazy.map { function.blocks[Int($0)].block })
      if isData {
        launch.data.append(UInt32(index - functionCount))
      } else {
        launch.functions.append(UInt32(index))
        if hasBlocks { launch.blocks.append(blocks) }
      }
    }
    guard content.value == hash, count > 0,
      !hasBlocks || launch.blocks.contains(where: { !$0.isEmpty })
    else {
      throw ParseError(
        .invalid(expected: "the hash of its functions", found: hexadecimal(hash)), "hash of launch",
        at: place)
    }
    return launch
  }

  /// Reads the blocks of one function that a launch ran.
  private mutating func readBlocks(of function: Profile.Function) throws(ParseError) -> [UInt32] {
    var blocks: [UInt32] = []
    for _ in 0..<(try count("blocks of launch", of: 1)) {
      let most = UInt64(max(function.blocks.count, 1) - 1)
      let place = input.position
      let block = UInt32(clamping: try number("block of launch", to: most))
      guard Int(block) < function.blocks.count, blocks.count < function.blocks.count else {
        throw ParseError(
          .invalid(expected: "each block once", found: "more"), "block of launch", at: place)
      }
      blocks.append(block)
    }
    return blocks
  }
}
