import Addresses
import CPerf
import ImageModel
import LibC
import ProcessLaunch

/// The page faults of one launch with their times and addresses, as sampled by the kernel. Only the program's own
/// instructions are sampled, not the faults that the kernel takes for the program, as in exec and in system calls.
///
/// A fault also maps the cached pages of the 64 KiB around it, so there are far fewer faults than touched
/// pages: faults are what a launch pays for, not what it touches.
package final class PageFaultRecording {
  let handle: OpaquePointer

  /// - Throws: the `errno` of perf_event_open(2) if it is not permitted or not available.
  package init() throws(ProgramLaunch.LaunchError) {
    var opened: OpaquePointer?
    let error = cfaults_open(&opened)
    guard error == 0, let opened else {
      throw ProgramLaunch.LaunchError(errno: error == 0 ? ENOTSUP : error)
    }
    handle = opened
  }

  deinit { cfaults_close(handle) }

  /// Returns all events by time, and the number of events that the kernel dropped because they came too fast. The time
  /// of a fault is the time when it began.
  ///
  /// Failed faults are left out; the kernel's own count leaves them out, too.
  package func events() -> (events: [PageFaultEvent], lost: UInt64) {
    let isComplete = cfaults_collect(handle) == 0
    let all = (0..<cfaults_count(handle)).map { cfaults_at(handle, $0) }
    let order = all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }
    var begun: [Int32: cfaults_event] = [:]
    var events: [(time: UInt64, event: PageFaultEvent)] = []
    for index in order {
      let event = all[index]
      switch event.kind {
      case CFAULTS_BEGIN: begun[event.thread] = event
      case CFAULTS_MINOR, CFAULTS_MAJOR:
        // If the record of the fault's beginning was lost, the fault gets a duration of 0.
        let start = begun.removeValue(forKey: event.thread) ?? event
        let fault = PageFault(
          process: event.process, thread: event.thread, isMajor: event.kind == CFAULTS_MAJOR,
          start: start.address == event.address ? start.time : event.time, end: event.time,
          address: LoadedAddress(rawValue: event.address),
          instruction: LoadedAddress(rawValue: event.instruction))
        events.append((fault.start, .fault(fault)))
      case CFAULTS_MAPPING:
        let mapping = PageFaultEvent.Mapping(
          addresses: Range(start: LoadedAddress(rawValue: event.address), size: event.length),
          path: String(cString: cfaults_path(handle, event)),
          fileOffset: FileOffset(rawValue: event.offset), isExecutable: event.is_executable)
        events.append((event.time, .mapping(mapping, process: event.process)))
      case CFAULTS_FORK:
        events.append((event.time, .fork(process: event.process, parent: event.other)))
      default: events.append((event.time, .exec(process: event.process)))
      }
    }
    // The faults are sorted by time, because they were added when they ended, and a later fault may end before an
    // earlier fault of another thread.
    let byStart = events.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    let lost = cfaults_lost(handle)
    return (byStart.map(\.element.event), isComplete ? lost : max(1, lost))
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
