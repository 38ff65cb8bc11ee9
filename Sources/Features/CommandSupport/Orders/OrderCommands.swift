import Rendering

/// The commands that record a launch of an image and make its order file, as lines for a shell.
package struct OrderCommands: Sendable {
  private let image: String
  private let traces: [String]
  private let words: [String]

  /// - Parameters:
  ///   - image: the path of the image.
  ///   - traces: the paths of the traces so far, as they were given.
  ///   - launch: the words of the launch; `nil` if they are unknown, for a launch of the image without arguments.
  package init(image: String, traces: [String] = [], launch: [String]?) {
    self.image = image
    self.traces = traces
    words = launch ?? [image]
  }

  /// The command line of the launch.
  package var launch: String { words.map(shellWord).joined(separator: " ") }

  /// The path of the trace to record: the only trace, which is out of date, or a trace with the name of the image.
  package var newTrace: String {
    // A path that begins with `@` is of a list of traces.
    traces.count == 1 && !traces[0].hasPrefix("@")
      ? traces[0] : fileName(ofPath: image) + ".oftrace"
  }

  /// The path of the order file if none was given.
  package var usualOrder: String { fileName(ofPath: image) + ".order" }

  /// Returns the command that records the launch to `newTrace`.
  package func record(blocks: Bool = false) -> String {
    let methods = blocks ? "--breakpoints --blocks" : "--breakpoints"
    return "orderfile record \(methods) -o \(shellWord(newTrace)) -- \(launch)"
  }

  /// Returns the command that makes the order file at `order` from traces.
  package func gen(_ traces: [String], to order: String) -> String {
    "orderfile gen \(traces.map(shellWord).joined(separator: " ")) --image \(shellWord(image)) "
      + "-o \(shellWord(order))"
  }
}
