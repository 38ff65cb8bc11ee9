import Addresses
import CPerf
import ImageModel
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The page faults of one launch with their addresses, as sampled by the kernel.
///
/// A fault also maps the cached pages of the 64 KiB around it, so there are far fewer faults than touched
/// pages: faults are what a launch pays for, not what it touches.
package final class PageFaultRecording {
  let handle: OpaquePointer

  /// - Throws: the `errno` of perf_event_open(2) if it is not permitted or not available.
  init() throws(ProgramLaunch.LaunchError) {
    var opened: OpaquePointer?
    let error = cfaults_open(&opened)
    guard error == 0, let opened else {
      throw ProgramLaunch.LaunchError(errno: error == 0 ? ENOTSUP : error)
    }
    handle = opened
  }

  deinit { cfaults_close(handle) }

  /// All events, by time; `nil` if the kernel had to drop some.
  func events() -> [PageFaultEvent]? {
    guard cfaults_collect(handle) == 0, cfaults_lost(handle) == 0 else { return nil }
    let all = (0..<cfaults_count(handle)).map { cfaults_at(handle, $0) }
    let order = all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }
    return order.map { index in
      let event = all[index]
      switch event.kind {
      case CFAULTS_MAPPING:
        return .mapping(
          process: event.process,
          addresses: Range(
            start: LoadedAddress(rawValue: event.address), size: event.length),
          path: String(cString: cfaults_path(handle, event)))
      case CFAULTS_FORK: return .fork(process: event.process, parent: event.other)
      case CFAULTS_EXEC: return .exec(process: event.process)
      default:
        return .fault(
          process: event.process, address: LoadedAddress(rawValue: event.address))
      }
    }
  }
}

extension PageFaultRecording {
  /// Why this process can't record faults; `nil` if it can.
  package static var refusal: String? {
    do {
      _ = try PageFaultRecording()
      return nil
    } catch { return "\(error)" }
  }
}

/// An event of a launch.
package enum PageFaultEvent: Hashable, Sendable {
  case fault(process: Int32, address: LoadedAddress)
  /// A file was mapped, executable.
  case mapping(process: Int32, addresses: Range<LoadedAddress>, path: String)
  /// A process came to be, as a copy of another; of itself for a new thread.
  case fork(process: Int32, parent: Int32)
  /// A process executes another program: its mappings are gone.
  case exec(process: Int32)
}

/// Counts the faults in the executable mappings of certain files.
package enum TextFaults {
  /// - Parameters:
  ///   - events: by time.
  ///   - paths: the files, without symbolic links, as the kernel names them.
  /// - Complexity: O(*n* *m*) for *n* events and *m* mappings of a process.
  package static func count(_ events: [PageFaultEvent], in paths: [String]) -> Int {
    struct Mapping {
      var addresses: Range<LoadedAddress>
      var isWanted: Bool
    }
    let wanted = Set(paths)
    var mappings: [Int32: [Mapping]] = [:]
    var count = 0
    for event in events {
      switch event {
      case .exec(let process): mappings[process] = []
      case .fork(let process, let parent):
        if process != parent { mappings[process] = mappings[parent] }
      case .mapping(let process, let addresses, let path):
        mappings[process, default: []].append(
          Mapping(addresses: addresses, isWanted: wanted.contains(path)))
      case .fault(let process, let address):
        // The last one counts: what was there before has been unmapped.
        let hit = mappings[process]?.last { $0.addresses.contains(address) }
        count += hit?.isWanted ?? false ? 1 : 0
      }
    }
    return count
  }
}
