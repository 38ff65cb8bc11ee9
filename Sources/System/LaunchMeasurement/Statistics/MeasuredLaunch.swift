import Addresses
import CPerf
import ProcessLaunch

/// The kernel's figures for one launch.
package struct MeasuredLaunch: Hashable, Sendable {
  /// The time from just before exec to the end of the launch, in nanoseconds.
  package var wallNanoseconds: UInt64
  package var userMicroseconds: UInt64
  package var systemMicroseconds: UInt64
  /// The instructions executed in user mode; `nil` if the machine does not count them.
  package var instructions: UInt64?
  package var minorFaults: UInt64
  package var majorFaults: UInt64
  /// The peak resident memory; `nil` if this process had a higher peak, because the kernel then reports only the higher
  /// one.
  package var peakBytes: UInt64?
  /// The bytes read from devices for the launch; with a `LaunchDevice`, the bytes read from this device. `nil` if the
  /// kernel does not state them.
  package var readBytes: UInt64?
  /// The requests to the `LaunchDevice`; `nil` without such a device.
  package var requests: UInt64?
  /// The pages of the program's images that are in memory after the launch; `nil` if they were not counted.
  package var residentPages: UInt64?
  package var end: ProgramLaunch.End

  package init(
    wallNanoseconds: UInt64, userMicroseconds: UInt64 = 0, systemMicroseconds: UInt64 = 0,
    instructions: UInt64? = nil, minorFaults: UInt64 = 0, majorFaults: UInt64 = 0,
    peakBytes: UInt64? = nil,
    readBytes: UInt64? = nil, residentPages: UInt64? = nil, end: ProgramLaunch.End = .exited(0)
  ) {
    self.wallNanoseconds = wallNanoseconds
    self.userMicroseconds = userMicroseconds
    self.systemMicroseconds = systemMicroseconds
    self.instructions = instructions
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
    self.peakBytes = peakBytes
    self.readBytes = readBytes
    self.residentPages = residentPages
    self.end = end
  }

  /// The sum of user and system time. Where the kernel accounts time in ticks, only this sum is exact for one launch.
  package var cpuMicroseconds: UInt64 {
    [userMicroseconds, systemMicroseconds].saturatingSum()
  }

  init(_ launch: cmeasure_launch) {
    self.init(
      wallNanoseconds: launch.nanoseconds, userMicroseconds: launch.user_microseconds,
      systemMicroseconds: launch.system_microseconds,
      instructions: launch.has_instructions ? launch.instructions : nil,
      minorFaults: launch.minor_faults, majorFaults: launch.major_faults,
      peakBytes: launch.has_peak_bytes ? launch.peak_bytes : nil,
      readBytes: launch.has_read_bytes ? launch.read_bytes : nil,
      end: launch.is_ready ? .exited(0) : ProgramLaunch.End(waitStatus: launch.status))
  }
}
