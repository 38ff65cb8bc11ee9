// The bytes of a profile; docs/how-it-works/PROFILE-FORMAT.md describes them. Numbers are ULEB128. A table has each
// text once, ascending, and only the part of each text that differs from the text before. Everything else is in the
// order of the profile, so the same profile gives the same bytes.

import ImageModel

extension Profile {
  package static let magic: [UInt8] = [0x89] + Array("OFPROF\n".utf8)
  package static let version: UInt32 = 3

  /// The bytes of the file.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions, blocks and bytes of names.
  package var bytes: [UInt8] {
    var writer = ProfileWriter(self)
    writer.write()
    return writer.bytes
  }
}

private struct ProfileWriter {
  private(set) var bytes = Profile.magic
  private let profile: Profile
  private var texts: [SymbolName] = []
  private var numberOfText: [SymbolName: UInt64] = [:]

  init(_ profile: Profile) { self.profile = profile }

  mutating func write() {
    for shift in [0, 8, 16, 24] {
      bytes.append(UInt8(truncatingIfNeeded: Profile.version >> shift))
    }
    writeCounts()
    writeTexts()
    writeImages()
    writeFunctions(profile.functions)
    writeFunctions(profile.data)
    writeLaunches()
    writeWorkloads()
  }

  private mutating func writeWorkloads() {
    append(profile.workloads.count)
    for workload in profile.workloads {
      append(workload.launch.utf8.count)
      bytes += Array(workload.launch.utf8)
      append(hash: workload.commandLine)
      append(workload.inputs == nil ? 0 : 1)
      if let inputs = workload.inputs { append(hash: inputs) }
    }
  }

  private mutating func append(hash: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: hash >> UInt64(shift)))
    }
  }

  private mutating func append(_ number: some BinaryInteger) {
    var rest = UInt64(number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends the distance from `old` to `new`, with the sign in the lowest bit.
  private mutating func append(from old: UInt64, to new: UInt64) {
    append(new >= old ? (new - old) << 1 : (old - new) << 1 | 1)
  }

  private mutating func append(_ histogram: PositionHistogram) {
    append(histogram.buckets.count)
    var last = 0
    for bucket in histogram.buckets {
      append(Int(bucket.number) - last)
      append(bucket.count)
      last = Int(bucket.number)
    }
  }

  private mutating func writeCounts() {
    let counts = profile.counts
    for count in [
      counts.launches, counts.emptyLaunches, counts.launchesWithLostRecords, counts.lostRecords,
      counts.launchesEndedInHit, counts.inFlightRecords, counts.unattributedHits,
    ] + counts.ended { append(count) }
    append(counts.functions)
  }

  private mutating func writeTexts() {
    var isListed: Set<SymbolName> = []
    for image in profile.images { isListed.insert(SymbolName(image.path)) }
    for function in [profile.functions, profile.data].joined() {
      isListed.formUnion(function.names)
      if let file = function.objectFile { isListed.insert(file) }
    }
    texts = isListed.sorted()
    append(texts.count)
    var last: [UInt8] = []
    for (number, text) in texts.enumerated() {
      numberOfText[text] = UInt64(number)
      let shared = ProfileTextRules.sharedCount(of: text.bytes, with: last)
      append(shared)
      append(text.bytes.count - shared)
      bytes += text.bytes[shared...]
      last = text.bytes
    }
  }

  private mutating func writeImages() {
    append(profile.images.count)
    for image in profile.images {
      append(numberOfText[SymbolName(image.path)] ?? 0)
      append(image.id?.kind.rawValue ?? 0)
      append(image.id?.bytes.count ?? 0)
      bytes += image.id?.bytes ?? []
      append(image.machine)
      append(image.methodBits)
      append(image.launches)
      append(image.programLaunches)
      append(image.dataLaunches)
      append(image.text.start.rawValue)
      append(image.text.size)
      append(image.guardCount)
      append(image.blockCount)
      append(image.hasExecutedRuns ? 1 : 0)
      append(image.unnamedHits)
    }
  }

  private mutating func writeFunctions(_ table: [Profile.Function]) {
    var rest = table[...]
    for image in profile.images.indices {
      let functions = rest.prefix { $0.image == image }
      rest = rest.dropFirst(functions.count)
      append(functions.count)
      var last: UInt64 = 0
      var name: UInt64 = 0
      for function in functions {
        append(function.address.rawValue - last)
        last = function.address.rawValue
        append(function.size ?? 0)
        append(function.names.count)
        for text in function.names {
          let number = numberOfText[text] ?? 0
          append(from: name, to: number)
          name = number
        }
        append(function.objectFile.map { (numberOfText[$0] ?? 0) + 1 } ?? 0)
        append(function.support)
        append(function.firstNanoseconds.map { $0 == .max ? .max : $0 + 1 } ?? 0)
        append(function.positions)
        append(function.blocks.count)
        var start: UInt64 = 0
        for block in function.blocks {
          append(block.block.offset - start)
          append(block.block.size)
          append(block.support)
          start = block.block.offset
        }
      }
    }
  }

  private mutating func writeLaunches() {
    append(profile.launches.count)
    for launch in profile.launches {
      append(hash: launch.hash)
      append(launch.weight)
      let hasBlocks = !launch.blocks.isEmpty
      append(launch.functions.count + launch.data.count)
      append(hasBlocks ? 1 : 0)
      var last: UInt64 = 0
      for (index, function) in launch.functions.enumerated() {
        append(from: last, to: UInt64(function))
        last = UInt64(function)
        guard hasBlocks else { continue }
        append(launch.blocks[index].count)
        for block in launch.blocks[index] { append(block) }
      }
      for datum in launch.data {
        let number = UInt64(profile.functions.count) + UInt64(datum)
        append(from: last, to: number)
        last = number
        if hasBlocks { append(0) }
      }
    }
  }
}

/// The rules that the writer and the reader of texts share.
enum ProfileTextRules {
  /// The number of bytes at the beginning of a text that equal the beginning of the text before. It is at most eight
  /// times the number of bytes that follow, plus eight: so a table of texts is never much larger in memory than in the
  /// file.
  static func sharedCount(of text: [UInt8], with last: [UInt8]) -> Int {
    let common = zip(text, last).prefix { $0 == $1 }.count
    // s <= 8 * (count - s) + 8
    return min(common, (8 * text.count + 8) / 9)
  }

  static func isShareable(_ shared: UInt64, before rest: UInt64) -> Bool {
    let (room, overflow) = rest.multipliedReportingOverflow(by: 8)
    return overflow || shared <= room.addingReportingOverflow(8).partialValue || room > .max - 8
  }

  /// The methods of recording, in the order of their bits in the file.
  static let methods: [Trace.RecordingMethod] = [
    .instrumentation, .breakpoints, .emulation, .imported,
  ]
}

extension Profile.Image {
  /// The methods by which the image was recorded, one bit each.
  package var methodBits: UInt64 {
    let methods = ProfileTextRules.methods
    return methods.indices.reduce(0) { recordingMethods.contains(methods[$1]) ? $0 | 1 << $1 : $0 }
  }
}
