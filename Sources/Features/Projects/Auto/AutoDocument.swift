import ImageModel
import JSON
import Measuring
import PagesFormat
import Prediction
import Rendering

/// The result of `orderfile auto`: the images of a project in their new order, and the pages that this order saves.
package struct AutoDocument: Hashable, Sendable {
  /// The folder with the results; other paths are relative to it.
  package var folder: String
  /// The commands that were run, in sequence.
  package var commands: [Command]
  /// The launches that the images are ordered for, as the user gave them.
  package var launches: [String]
  /// How the launches were recorded.
  package var method: RecordingMethod
  /// The reason for this method: that the user wanted it, or why the methods before it can't be used. `nil` if it is
  /// the first method.
  package var methodReason: String?
  /// Why pages were not counted; `nil` if they were.
  package var notCounted: String?
  /// How much repeated counts of the pages differ; `nil` if each count finds the same pages.
  package var unsettled: Unsettled?
  /// Whether the functions are split; `nil` if splitting was not requested.
  package var split: Split?
  /// Whether the images prefetch what the launches use; `nil` if prefetching was not requested.
  package var prefetch: Prefetch?
  /// The measurements of the launches, in the order of `launches`; empty if launches were not measured.
  package var measurements: [Measurement] = []
  /// The images that the launches use, in the order of their first use.
  package var images: [Image]
  /// The steps that would save pages: of each image in turn, each kind once; `nothing` if no image has another step.
  package var nextSteps: [NextStep] = []
  /// Each is one sentence.
  package var warnings: [String]

  package init(
    folder: String, commands: [Command], launches: [String], method: RecordingMethod,
    images: [Image],
    warnings: [String]
  ) {
    self.folder = folder
    self.commands = commands
    self.launches = launches
    self.method = method
    self.images = images
    self.warnings = warnings
  }

  package struct Command: Hashable, Sendable {
    /// The step that ran the command: `configure`, `build`, `launch`, `relink`, `split`.
    package var step: String
    package var command: String

    package init(step: String, command: String) {
      self.step = step
      self.command = command
    }
  }

  /// A way to record launches. The first case that can be used is chosen.
  package enum RecordingMethod: String, CaseIterable, Sendable {
    /// Each function of the release build got a breakpoint.
    case breakpoints
    /// An emulator ran the release build.
    case qemu
    /// Another, instrumented build recorded itself.
    case instrument

    package var wording: String {
      switch self {
      case .breakpoints: "breakpoints in the release build"
      case .qemu: "QEMU's emulator, running the release build"
      case .instrument: "an instrumented build"
      }
    }
  }

  /// Page counts of launches that were still working when they were ended: how far such a launch gets is a matter of
  /// chance.
  package struct Unsettled: Hashable, Sendable {
    /// How often the pages of each of these launches were counted in each order.
    package var counts: Int
    /// The lowest and the highest counted number of pages of 4 KiB, in all images and launches together.
    package var before: ClosedRange<Int>
    package var after: ClosedRange<Int>

    package init(counts: Int, before: ClosedRange<Int>, after: ClosedRange<Int>) {
      self.counts = counts
      self.before = before
      self.after = after
    }

    /// The counts as text, such as `3 counts found 35 to 41 pages in the default order and 27 to 33 in the new one`.
    package var wording: String {
      func range(_ pages: ClosedRange<Int>) -> String {
        pages.count == 1 ? "\(pages.lowerBound)" : "\(pages.lowerBound) to \(pages.upperBound)"
      }
      return "\(counts) counts found \(range(before)) pages in the default order and "
        + "\(range(after)) in the new one"
        + (before.overlaps(after) ? ", so that chance may explain the difference" : "")
    }
  }

  /// A launch that was measured in the default order and in the new one.
  package struct Measurement: Hashable, Sendable {
    /// The launch as the user gave it.
    package var launch: String
    /// The name of the file with the result of the measurement.
    package var name: String
    package var document: MeasureDocument

    package init(launch: String, name: String, document: MeasureDocument) {
      self.launch = launch
      self.name = name
      self.document = document
    }

    package var path: String { "measurements/\(name)" }
  }

  /// The result of linking the images in the new order with prefetching, too.
  package struct Prefetch: Hashable, Sendable {
    /// The requests and the major faults of cold launches from the device `slow`, without and with prefetching, all
    /// launches added up; `nil` if they could not be counted.
    package var requests: BeforeAfter<Int>?
    package var majorFaults: BeforeAfter<Int>?
    /// Why the images do not prefetch; `nil` if they do.
    package var refusal: String?

    package init(
      requests: BeforeAfter<Int>? = nil, majorFaults: BeforeAfter<Int>? = nil,
      refusal: String? = nil
    ) {
      self.requests = requests
      self.majorFaults = majorFaults
      self.refusal = refusal
    }

    package var isKept: Bool { refusal == nil }
    /// Whether cold launches were counted, and prefetching did not make them cheaper.
    package var isRejected: Bool { !isKept && requests != nil }

    /// `prefetching is kept: on the device slow, cold launches have 1 major fault and make 9 requests (without it, 6 and 11)`
    package var text: String {
      var text = "prefetching is " + (isKept ? "kept" : "left out")
      if let refusal, requests == nil { return "\(text): \(refusal)" }
      if let requests, let majorFaults {
        text +=
          ": on the device slow, cold launches have \(counted(majorFaults.after, "major fault")) and make "
          + "\(counted(requests.after, "request")) (without it, \(majorFaults.before) and \(requests.before))"
      }
      return text
    }
  }

  package struct Image: Hashable, Sendable {
    /// The file name of the image, and of its copies in the folders `images` and `images/default`.
    package var name: String
    package var isLibrary: Bool
    /// The architecture of the image; `nil` if it is unknown.
    package var architecture: Architecture?
    /// The image ID in the new order; `nil` if it is unknown.
    package var id: String?
    /// The file name of the order file.
    package var orderName: String
    /// The file name of the source file with which the image prefetches; `nil` if the image does not prefetch.
    package var prefetchName: String?
    /// The name of the linker, as `--linker` takes it.
    package var linker: String
    /// The number of functions that the launches ran.
    package var functions: Int
    /// Whether the linker followed the order file.
    package var compliance: OrderCompliance
    /// The measured number of pages of code that the launches executed, added up, in pages of 4 KiB and of 16 KiB;
    /// `nil` if pages were not counted.
    package var pages: BeforeAfter<Int>?
    package var pages16k: BeforeAfter<Int>?
    /// The predicted number of pages of code with functions that the launches ran.
    package var predicted: BeforeAfter<Int>
    /// The options that the user's own build has to pass to the compiler when it compiles, and when it links.
    package var compileOptions: [String] = []
    package var linkOptions: [String] = []
    /// The functions that the launches ran, with their places in the image; earliest first use first.
    package var startupFunctions: [PlacedFunction]?

    package init(
      name: String, isLibrary: Bool, orderName: String, linker: String, functions: Int,
      compliance: OrderCompliance, predicted: BeforeAfter<Int>
    ) {
      self.name = name
      self.isLibrary = isLibrary
      self.orderName = orderName
      self.linker = linker
      self.functions = functions
      self.compliance = compliance
      self.predicted = predicted
    }

    package var path: String { "images/\(name)" }
    package var defaultPath: String { "images/default/\(name)" }
    package var orderPath: String { "orders/\(orderName)" }
    package var prefetchPath: String? { prefetchName.map { "orders/\($0)" } }
  }

  /// The pages of all images, added up; `nil` if pages were not counted.
  package var pages: BeforeAfter<Int>? {
    notCounted == nil ? .sum(images.compactMap(\.pages)) : nil
  }
  package var pages16k: BeforeAfter<Int>? {
    notCounted == nil ? .sum(images.compactMap(\.pages16k)) : nil
  }
  /// The predicted pages of all images, added up.
  package var predicted: BeforeAfter<Int> { .sum(images.map(\.predicted)) }
  /// The first program that the launches use; `nil` if they use only libraries of the project.
  package var program: Image? { images.first { !$0.isLibrary } }
}

extension AutoDocument: JSONDocument {
  package static let schema = "orderfile.auto/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.array("commands") { json in
      for command in commands {
        json.object { json in
          json.member("command", command.command)
          json.member("step", command.step)
        }
      }
    }
    json.member("folder", folder)
    json.member("image", program?.path)
    json.array("images") { json in
      for image in images { json.object(isInline: false) { image.writeMembers(to: &$0) } }
    }
    json.member("launches", launches)
    json.member("measurements", measurements)
    json.member("method", method.rawValue)
    json.member("methodReason", methodReason)
    json.member("nextSteps", nextSteps)
    json.member("notCounted", notCounted)
    if let pages { json.member("pages", pages.withSaving) }
    if let pages16k { json.member("pages16k", pages16k.withSaving) }
    json.member("predictedPages", predicted.withSaving)
    json.optional("prefetch", prefetch)
    json.member("schema", Self.schema)
    json.optional("split", split)
    json.optional("unsettled", unsettled)
    json.member("warnings", warnings)
  }
}

extension AutoDocument.Image: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("architecture", architecture)
    json.member("compileOptions", compileOptions)
    json.member("compliance", compliance)
    json.member("defaultImage", defaultPath)
    json.member("functions", functions)
    json.optional("id", id)
    json.member("image", path)
    json.member("isLibrary", isLibrary)
    json.member("linkOptions", linkOptions)
    json.member("linker", linker)
    json.member("order", orderPath)
    if let pages { json.member("pages", pages.withSaving) }
    if let pages16k { json.member("pages16k", pages16k.withSaving) }
    json.member("predictedPages", predicted.withSaving)
    json.optional("prefetchSource", prefetchPath)
    json.optional("startupFunctions", startupFunctions)
  }
}

extension AutoDocument.Prefetch: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("isKept", isKept)
    if let majorFaults { json.member("majorFaults", majorFaults.withSaving) }
    json.optional("refusal", refusal)
    if let requests { json.member("requests", requests.withSaving) }
  }
}

extension AutoDocument.Unsettled: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    func write(_ pages: ClosedRange<Int>, to json: inout JSONWriter) {
      json.member("highest", pages.upperBound)
      json.member("lowest", pages.lowerBound)
    }
    json.object("after") { write(after, to: &$0) }
    json.object("before") { write(before, to: &$0) }
    json.member("counts", counts)
  }
}

extension AutoDocument.Measurement: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("findings", document.findings)
    json.member("launch", launch)
    json.member("measurement", path)
    json.member("provenance", Provenance.measured)
    json.array("states") { json in
      for state in document.states { json.object { state.writeComparisons(to: &$0) } }
    }
  }
}
