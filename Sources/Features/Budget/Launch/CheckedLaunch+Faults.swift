import CommandSupport
import Counting
import ImageModel
import LaunchMeasurement
import ProcessLaunch

extension CheckedLaunch {
  /// Makes the document of the faults of a cold launch from `device`, and of its requests to the device. Without
  /// `device`, and if there can't be such a device, the document is missing.
  ///
  /// - Throws: if the launch fails, or is interrupted.
  func listFaults(
    _ launch: LaunchOfImage, _ made: inout MadeDocuments, _ progress: (String) -> Void
  ) throws {
    guard let device else {
      made.lack(
        .faults,
        Diagnostic("no device for a cold launch was given", hint: "give '--device slow'"))
      return
    }
    guard program.image == launch.realPath else {
      made.lack(
        .faults,
        Diagnostic(
          "the launched program is not the image, so its faults are not those of the image",
          context: [program.path], hint: "let '--launch' begin with the image"))
      return
    }
    progress("listing the faults of a cold launch")
    var faults = FaultLaunch(launch.command, in: environment)
    faults.isCold = true
    faults.device = device
    faults.conditions = launch.conditions
    defer { Interruption.catchSignals() }
    let result: FaultLaunch.Result
    do { result = try faults.run() } catch {
      try made.lackMeasurement(.faults, error)
      return
    }
    made.warn(result.warnings)
    var document = result.document
    // The other documents name the image as the user does, who may have given a symbolic link.
    for index in document.files.indices where document.files[index].path == launch.realPath {
      document.files[index].path = launch.image
    }
    try made.add(.faults(document), as: document.json(), at: path("faults.json"))
  }
}
