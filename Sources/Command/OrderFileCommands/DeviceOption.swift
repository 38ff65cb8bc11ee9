import ArgumentParser
import LaunchMeasurement

/// `--device`: the device from which copies of the evicted files are launched.
struct DeviceOption: ParsableArguments {
  @Option(
    name: .customLong("device"),
    help: ArgumentHelp(
      "For cold launches, copy the evicted files to a device with a stated read-ahead and a stated delay for each request, "
        + "and count the requests: \(DeviceSettings.form). The device 'this' has the read-ahead and the largest request of the disk that the program is on.",
      valueName: "device"),
    transform: expecting(DeviceSettings.form))
  var settings: DeviceSettings?

  /// - Throws: if a device was given for a launch that is not cold.
  func check(isCold: Bool) throws {
    if settings != nil, !isCold {
      throw ValidationError("--device affects cold launches only: give --cold")
    }
  }
}

extension DeviceSettings: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
