import CommandSupport
import ImageModel
import Prediction
import Rendering

extension CheckedImage {
  /// Notes the files of which a comparison was made.
  mutating func note(_ document: DiffDocument) {
    origin.image = document.after.path
    origin.order = document.inputs.order
    origin.traces = document.inputs.traces
    origin.launch = origin.launch ?? document.inputs.launch
    // With fewer functions, the trace is of a build whose functions had other names.
    origin.isRecorded =
      !origin.traces.isEmpty && document.presence.map { 20 * $0.after >= 19 * $0.all } ?? false
  }

  /// The commands that make the order file again, in sequence: `record` only if the traces are of an older build.
  var renewal: [String] {
    let path = origin.image ?? name
    let trace = origin.traces.count == 1 ? origin.traces[0] : "\(fileName(ofPath: path)).oftrace"
    let traces = origin.isRecorded ? origin.traces : [trace]
    let order = origin.order ?? "\(fileName(ofPath: path)).order"
    let launch = (origin.launch ?? [path]).map(shellWord).joined(separator: " ")
    let generation =
      "orderfile gen \(traces.map(shellWord).joined(separator: " ")) --image \(shellWord(path)) "
      + "-o \(shellWord(order))"
    return origin.isRecorded
      ? [generation]
      : ["orderfile record --breakpoints -o \(shellWord(trace)) -- \(launch)", generation]
  }
}
