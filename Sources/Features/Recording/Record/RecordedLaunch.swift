import ByteReading
import CommandSupport
import ImageModel
import ProcessLaunch
import ProcessTracing

/// The result of recording a launch or a running process.
package struct RecordedLaunch {
  package struct RecordableImage: Sendable {
    package var image: TraceImage
    /// How much of the image's code could be recorded; `nil` if this is unknown.
    package var code: RecordableCode?
  }

  /// The traces of the launch, the program's first; empty if nothing was recorded.
  package let traces: [Trace]
  /// Whether the first trace is the program's, and not the trace of a process that it has started.
  package let beginsWithProgram: Bool
  /// The path of each trace, parallel to `traces`.
  package let paths: [String]
  /// The number of first hits of functions in all traces. Further guards of the same function are not counted.
  package let firstHits: Int
  /// The number of functions with guards or breakpoints.
  package let instrumented: Int
  /// The number of first hits before `main` in the first trace; `nil` if its `main` was not recorded.
  package let hitsBeforeMain: Int?
  /// How much of each image's code could be recorded, in the order of the first loads.
  package let recordable: [RecordableImage]
  /// The emulator that ran the program, and the processor that it emulated; `nil` if no emulator ran it.
  package let emulator: String?
  /// How the program ended; `nil` for a process that was not launched here.
  package let end: ProgramLaunch.End?
  package internal(set) var warnings: [Diagnostic]
  /// The reason why nothing was recorded, unless the program failed.
  package let failure: Diagnostic?
  /// Whether basic blocks were requested, and nothing was recorded because no image has a map of them.
  package internal(set) var lacksBlockMap = false
  /// Whether traces were fetched from another machine without the names of their functions, because the images are not
  /// on this machine.
  package internal(set) var lacksNames = false

  /// The number of functions in the instrumented images, instrumented or not; `nil` if it is unknown, and for
  /// breakpoints, which are on nearly all functions.
  package var functions: Int? {
    let counts = recordable.compactMap {
      $0.code.flatMap { $0.means == .callback ? Int(clamping: $0.functions.all) : nil }
    }
    return counts.isEmpty || counts.count < recordable.count ? nil : counts.saturatingSum()
  }
}
