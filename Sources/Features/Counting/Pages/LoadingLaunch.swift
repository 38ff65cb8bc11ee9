import Addresses
import CommandSupport
import ImageModel
import ProcessLaunch
import ProcessTracing

/// A launch up to the first instruction of the program, traced from outside. It shows what a library in the program
/// can't see: how the loader maps, relocates and links the program. The program is killed at its first instruction, so
/// that only initializers of its libraries have run.
struct LoadingLaunch {
  private var program: ProgramLaunch
  private var request: PageRequest

  /// - Parameter request: the images to watch.
  init(_ program: ProgramLaunch, _ request: PageRequest) {
    self.program = program
    self.program.readiness = nil
    self.program.script = nil
    self.request = request
    self.request.stop = .beginning
  }

  /// - Returns: the touches of the loader, or the reason why there are none. Missing touches of the loader are no
  ///   error, because all other pages can be counted.
  func run() throws -> (touches: PageTouches?, problem: Diagnostic?) {
    let name = program.command[0]
    func notCounted(_ reason: String) -> (PageTouches?, Diagnostic?) {
      (
        nil,
        Diagnostic("the pages that the loader touches were not counted: \(reason)", context: [name])
      )
    }
    do {
      let result = try SilentStreams.use { streams in
        var program = program
        program.streams = streams
        return try TracedPageLaunch(program, request).run(NoMarkedImages())
      }
      if let problem = result.problem {
        return notCounted(Diagnostic.inexact(name, problem, remedy: nil).message)
      }
      guard result.wasStopped else {
        return notCounted("the program ended before its first instruction")
      }
      return (result.touches, nil)
    } catch let error as ProgramLaunch.LaunchError {
      return notCounted(error.isNotPermitted ? "tracing is not permitted" : "\(error)")
    } catch let error as Diagnostic {
      return notCounted(error.message)
    }
  }
}

extension LoadingLaunch {
  /// Whether the system permits tracing. Traces a launch of `true` to find out.
  static func isPermitted(in environment: LaunchEnvironment) -> Bool {
    let program = ProgramLaunch(command: ["true"])
    do {
      return try SilentStreams.use { streams in
        var program = program
        program.streams = streams
        return try TracedPageLaunch(program, PageRequest(stop: .beginning)).run(NoMarkedImages())
          .problem == nil
      }
    } catch let error as ProgramLaunch.LaunchError { return !error.isNotPermitted } catch {
      return true
    }
  }
}

private final class NoMarkedImages: PageImages {
  func mark(in path: String) -> RelativeAddress? { nil }
}
