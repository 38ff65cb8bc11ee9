import ImageModel
import ProfileFormat
import Symbolication

extension ProfileDocument {
  package init(_ profile: Profile, path: String) {
    let counts = profile.counts
    self.init(path: path)
    launches = counts.launches
    incomplete = [
      .init(reason: "recorded nothing", launches: counts.emptyLaunches),
      .init(reason: "lost records", launches: counts.launchesWithLostRecords),
      .init(reason: "ended while a hit was being written", launches: counts.launchesEndedInHit),
      .init(
        reason: "used fewer than half as many functions as the median launch",
        launches: counts.shortLaunches),
    ].filter { $0.launches > 0 }
    ends = zip(Profile.Counts.ends, counts.ended).filter { $0.1 > 0 }
      .map { .init(reason: $0.0.rawValue, launches: $0.1) }
    lostRecords = counts.lostRecords
    images = profile.images.map { image in
      Image(
        path: image.path, id: image.id?.description,
        architecture: image.machine == 0 ? nil : Architecture(machine: image.machine).description,
        launches: image.launches, programLaunches: image.programLaunches,
        dataLaunches: image.dataLaunches, unnamedHits: image.unnamedHits)
    }
    functions = profile.functions.map(Function.init).sorted { $0.precedes($1) }
    data = profile.data.map(Function.init).sorted { $0.precedes($1) }
    workloads = profile.workloads
    wholeLaunches = profile.launches.map {
      WholeLaunch(
        hash: $0.hash, launches: $0.weight, functions: $0.functions.count, data: $0.data.count)
    }
  }
}

extension ProfileDocument.Function {
  fileprivate init(_ function: Profile.Function) {
    self.init(
      image: function.image, address: function.address, names: function.names,
      objectFile: function.objectFile, launches: function.support,
      medianPosition: Int(function.positions.median ?? 0),
      firstNanoseconds: function.firstNanoseconds, blocks: function.blocks.count)
  }

  fileprivate func precedes(_ other: Self) -> Bool {
    (image, medianPosition, other.launches, address)
      < (other.image, other.medianPosition, launches, other.address)
  }
}
