// Each of these operations is associative and commutative, so that launches may be folded in any grouping.

import Addresses
import ImageModel

extension Profile.Counts {
  mutating func add(_ launch: ProfileFold.Launch, functions: Int, isEmpty: Bool, weight: UInt64) {
    launches += weight
    if isEmpty { emptyLaunches += weight }
    if launch.lostRecords > 0 { launchesWithLostRecords += weight }
    lostRecords.addSaturating(launch.lostRecords, times: weight)
    if launch.inFlightRecords > 0 { launchesEndedInHit += weight }
    inFlightRecords.addSaturating(UInt64(launch.inFlightRecords), times: weight)
    unattributedHits.addSaturating(UInt64(launch.unattributedHits), times: weight)
    if let end = Self.ends.firstIndex(of: launch.end) { ended[end] += weight }
    self.functions.add(UInt32(clamping: functions), weight: weight)
  }

  mutating func add(_ other: Self) {
    launches += other.launches
    emptyLaunches += other.emptyLaunches
    launchesWithLostRecords += other.launchesWithLostRecords
    lostRecords.addSaturating(other.lostRecords)
    launchesEndedInHit += other.launchesEndedInHit
    inFlightRecords.addSaturating(other.inFlightRecords)
    unattributedHits.addSaturating(other.unattributedHits)
    for end in ended.indices { ended[end] += other.ended[end] }
    functions.add(other.functions)
  }
}

extension Profile.Image {
  /// Whether the two images may be of the same machine.
  func mayBeOfMachine(of other: Self) -> Bool {
    machine == other.machine || machine == 0 || other.machine == 0
  }

  /// Joins the facts about two copies of an image, apart from the counts of launches.
  mutating func join(_ other: Self) {
    let (new, old) = (Array(other.path.utf8), Array(path.utf8))
    if new.count < old.count || new.count == old.count && new.lexicographicallyPrecedes(old) {
      path = other.path
    }
    recordingMethods.formUnion(other.recordingMethods)
    machine = max(machine, other.machine)
    if (other.text.start, other.text.size) > (text.start, text.size) { text = other.text }
    guardCount = max(guardCount, other.guardCount)
    blockCount = max(blockCount, other.blockCount)
    hasExecutedRuns = hasExecutedRuns || other.hasExecutedRuns
  }

  mutating func addCounts(of other: Self) {
    launches += other.launches
    programLaunches += other.programLaunches
    dataLaunches += other.dataLaunches
    unnamedHits.addSaturating(other.unnamedHits)
  }
}

extension Profile.Function {
  mutating func count(in bucket: UInt8, _ nanoseconds: UInt64?, _ weight: UInt64) {
    support += weight
    if let nanoseconds { firstNanoseconds = min(firstNanoseconds ?? .max, nanoseconds) }
    positions.add(PositionHistogram.Bucket(number: bucket, count: weight))
  }

  /// Adds the counts of another copy of the function, apart from those of its blocks.
  mutating func add(_ other: Self) {
    join(size: other.size, objectFile: other.objectFile)
    for name in other.names { join(name) }
    support += other.support
    if let time = other.firstNanoseconds { firstNanoseconds = min(firstNanoseconds ?? .max, time) }
    positions.add(other.positions)
  }

  mutating func join(size other: UInt64?, objectFile file: SymbolName?) {
    if let other { size = max(size ?? 0, other) }
    if let file { objectFile = min(objectFile ?? file, file) }
  }

  mutating func join(_ name: SymbolName) {
    let place = names.partitioningIndex { $0 >= name }
    if place == names.count || names[place] != name { names.insert(name, at: place) }
  }
}

extension UInt64 {
  /// A sum that exceeds 64 bits is the largest number: so sums do not depend on their grouping.
  package mutating func addSaturating(_ value: UInt64, times weight: UInt64 = 1) {
    let (product, overflow) = value.multipliedReportingOverflow(by: weight)
    let (sum, carry) = addingReportingOverflow(overflow ? .max : product)
    self = carry ? .max : sum
  }
}

extension [WorkloadSummary] {
  /// Inserts `workload` in ascending order, unless the list already has enough smaller workloads.
  mutating func join(_ workload: WorkloadSummary) {
    let place = partitioningIndex { $0 >= workload }
    guard place < Profile.keptWorkloads, place == count || self[place] != workload else { return }
    insert(workload, at: place)
    if count > Profile.keptWorkloads { removeLast() }
  }
}
