import CommandSupport
import ImageModel
import Prediction

extension CheckedImage {
  /// Keeps the files and the launch of a comparison, for `renewal`.
  mutating func note(_ document: DiffDocument) {
    origin.image = document.after.path
    origin.order = document.inputs.order
    origin.traces = document.inputs.traces
    origin.launch = origin.launch ?? document.inputs.launch
    // If the layout has fewer of the startup functions, the traces are of a build whose functions had other names.
    origin.isRecorded =
      !origin.traces.isEmpty && document.presence.map { 20 * $0.after >= 19 * $0.all } ?? false
  }

  /// The commands that make the order file again, in sequence: `record` only if the traces are of an older build.
  var renewal: [String] {
    let commands = OrderCommands(
      image: origin.image ?? name, traces: origin.traces, launch: origin.launch)
    let order = origin.order ?? commands.usualOrder
    if origin.isRecorded { return [commands.gen(origin.traces, to: order)] }
    return [commands.record(), commands.gen([commands.newTrace], to: order)]
  }
}
