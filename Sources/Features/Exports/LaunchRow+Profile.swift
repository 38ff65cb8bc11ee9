import Addresses
import ImageModel
import ProfileFormat
import Rendering

extension LaunchRow {
  /// The functions and data that earlier rows describe. A table describes a function in the first row that needs it.
  struct Described {
    fileprivate var code = Table()
    fileprivate var data = Table()

    fileprivate struct Table {
      private var known: [Profile.Image.Key: [StatedAddress: Function]] = [:]

      /// Returns the description of `function` unless an earlier row has the same description.
      mutating func new(_ function: Profile.Function, of image: Profile.Image.Key) -> [Function] {
        let description = Function(
          address: function.address, size: function.size, names: function.names,
          objectFile: function.objectFile)
        guard known[image]?[function.address] != description else { return [] }
        known[image, default: [:]][function.address] = description
        return [description]
      }
    }
  }

  /// - Parameters:
  ///   - profile: the profile of this launch alone, which counts once.
  ///   - path: the path of the trace.
  /// - Throws: an error for a number that a column can't hold.
  init(
    _ profile: Profile, path: String, weight: UInt64, _ described: inout Described
  ) throws(Diagnostic) {
    precondition(profile.counts.launches == 1, "one launch")
    self.init(trace: path, weight: weight)
    let counts = profile.counts
    hash = profile.launches.first?.hash
    end = counts.ended.firstIndex { $0 > 0 }.map { Profile.Counts.ends[$0].rawValue }
    lostRecords = counts.lostRecords
    inFlightRecords = counts.inFlightRecords
    unattributedHits = counts.unattributedHits
    workload = profile.workloads.first
    images = profile.images.map { image in
      var row = Image(path: image.path, key: image.key.bytes)
      row.machine = image.machine
      row.methodBits = image.methodBits
      row.isProgram = image.programLaunches > 0
      row.isUsed = image.launches > 0
      row.text = image.text
      row.guardCount = image.guardCount
      row.blockCount = image.blockCount
      row.hasExecutedRuns = image.hasExecutedRuns
      row.unnamedHits = image.unnamedHits
      return row
    }
    let launch = profile.launches.first ?? Profile.Launch(hash: 0, weight: 1)
    for (index, number) in launch.functions.enumerated() {
      let function = profile.functions[Int(number)]
      let key = profile.images[function.image].key
      let blocks = launch.blocks(of: index).map { function.blocks[Int($0)].block }
      images[function.image].code.uses.append(Use(function, blocks: blocks))
      images[function.image].code.described += described.code.new(function, of: key)
    }
    for datum in launch.data.map({ profile.data[Int($0)] }) {
      let key = profile.images[datum.image].key
      images[datum.image].data.uses.append(Use(datum, blocks: []))
      images[datum.image].data.described += described.data.new(datum, of: key)
    }
    let largest = largestNumber
    guard largest <= Int64.max else {
      throw Diagnostic(
        "unable to export: expected numbers below 2^63, found \(largest)", context: [path])
    }
  }
}

extension LaunchRow.Use {
  fileprivate init(_ function: Profile.Function, blocks: [FunctionBlock]) {
    self.init(
      address: function.address, nanoseconds: function.firstNanoseconds, blocks: blocks)
  }
}
