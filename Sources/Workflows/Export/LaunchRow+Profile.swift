import Addresses
import ImageModel
import ProfileFormat
import Reporting

extension LaunchRow {
  /// The functions that rows before describe. A table describes a function in the first row that needs it.
  struct Described {
    private var known: [Profile.Image.Key: [StatedAddress: Function]] = [:]

    /// Whether no row before describes `function` like this.
    fileprivate mutating func isNew(_ function: Function, of image: Profile.Image.Key) -> Bool {
      guard known[image]?[function.address] != function else { return false }
      known[image, default: [:]][function.address] = function
      return true
    }
  }

  /// - Parameters:
  ///   - profile: of this launch alone, counted once.
  ///   - path: of the trace.
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
    for use in profile.launches.first?.uses ?? [] {
      let function = profile.functions[Int(use.function)]
      images[function.image].uses.append(
        Use(
          address: function.address, nanoseconds: function.firstNanoseconds,
          blocks: use.blocks.map { function.blocks[Int($0)].block }))
      let description = Function(
        address: function.address, size: function.size, names: function.names,
        objectFile: function.objectFile)
      if described.isNew(description, of: profile.images[function.image].key) {
        images[function.image].functions.append(description)
      }
    }
    let largest = largestNumber
    guard largest <= Int64.max else {
      throw Diagnostic(
        "unable to export: expected numbers below 2^63, found \(largest)", context: [path])
    }
  }
}
