extension Profile {
  /// The profile of `weight` times as many launches; `nil` if that is more than a profile can count.
  ///
  /// - Precondition: `weight` is at least 1.
  /// - Complexity: O(*n*) for *n* bytes in the file of the profile.
  package func weighted(by weight: UInt64) -> Profile? {
    precondition(weight > 0, "a launch counts")
    let (launches, overflow) = counts.launches.multipliedReportingOverflow(by: weight)
    guard !overflow, launches <= Self.maximumLaunches else { return nil }
    guard weight > 1 else { return self }
    var profile = self
    profile.counts = counts.weighted(by: weight)
    for index in images.indices {
      profile.images[index].launches *= weight
      profile.images[index].programLaunches *= weight
      profile.images[index].dataLaunches *= weight
      profile.images[index].unnamedHits.multiplySaturating(by: weight)
    }
    for index in functions.indices { profile.functions[index].multiply(by: weight) }
    for index in data.indices { profile.data[index].multiply(by: weight) }
    for index in self.launches.indices { profile.launches[index].weight *= weight }
    return profile
  }
}

extension Profile.Counts {
  fileprivate func weighted(by weight: UInt64) -> Self {
    var counts = self
    counts.launches *= weight
    counts.emptyLaunches *= weight
    counts.launchesWithLostRecords *= weight
    counts.lostRecords.multiplySaturating(by: weight)
    counts.launchesEndedInHit *= weight
    counts.inFlightRecords.multiplySaturating(by: weight)
    counts.unattributedHits.multiplySaturating(by: weight)
    for end in ended.indices { counts.ended[end] *= weight }
    counts.functions.multiply(by: weight)
    return counts
  }
}

extension Profile.Function {
  fileprivate mutating func multiply(by weight: UInt64) {
    support *= weight
    positions.multiply(by: weight)
    for block in blocks.indices { blocks[block].support *= weight }
  }
}

extension PositionHistogram {
  fileprivate mutating func multiply(by weight: UInt64) {
    self = PositionHistogram(
      buckets.map { Bucket(number: $0.number, count: $0.count * weight) })
  }
}

extension UInt64 {
  fileprivate mutating func multiplySaturating(by weight: UInt64) {
    let value = self
    self = 0
    addSaturating(value, times: weight)
  }
}
