import CommandSupport
import Counting
import ImageModel
import LaunchMeasurement
import ProcessLaunch
import ProcessTracing
import TestSupport
import Testing

/// Launches whose pages the library in the program counts.
@Suite struct PageLaunchTests {
  private let environment = LaunchEnvironment(searchPath: "/usr/bin:/bin")

  private func launch(_ command: String...) -> PageLaunch {
    PageLaunch(ProgramLaunch(command: command), in: environment)
  }

  @Test(.needs(.systemCallDispatch))
  func theLaunchedProgramComesFirstAndItsPagesHaveInstructions() throws {
    let counted = try launch("false").run()
    #expect(counted.end == .exited(1))
    #expect(counted.document.end == .exited(1))
    #expect(counted.document.method == "preload")
    #expect(counted.document.command == ["false"])
    let image = try #require(counted.document.images.first)
    #expect(image.path.hasPrefix("/"))
    let executed = image.pages.filter { $0.access == .execute }
    #expect(!executed.isEmpty)
    #expect(executed.allSatisfy { $0.instruction != nil || $0.instructionImage != nil })
    #expect(counted.warnings.isEmpty, "\(counted.warnings)")
  }

  @Test(.needs(.systemCallDispatch))
  func allImagesAreCountedIfThatIsAskedFor() throws {
    var launch = launch("true")
    launch.countsAllImages = true
    #expect(try launch.run().document.images.count > 1)
  }

  @Test(.needs(.systemCallDispatch))
  func aMarkThatTheProgramNeverSaysIsWarnedOf() throws {
    var launch = launch("true")
    launch.stop = .mark("ready")
    #expect(
      try launch.run().warnings.map(\.message)
        == ["the program ended before it reached 'ready'"])
  }

  @Test func aFunctionThatNoImageHasIsMissing() {
    var launch = launch("true")
    launch.stop = .function("no_such_function")
    let error = diagnostic { _ = try launch.run() }
    #expect(error?.message == "missing function: no counted image has a symbol of this name")
  }

  @Test func aProgramIsLookedUpInTheFoldersThatAreHandedIn() {
    var launch = launch("true")
    launch.environment.searchPath = "/nowhere"
    let error = diagnostic { _ = try launch.run() }
    #expect(
      error
        == Diagnostic(
          "unable to run: No such file or directory", context: ["true"], kind: .failedLaunch))
  }

  @Test func anImageThatIsNotThereIsRefused() {
    var launch = launch("true")
    launch.images = ["/nowhere/lib.so"]
    #expect(diagnostic { _ = try launch.run() }?.context == ["/nowhere/lib.so"])
  }
}

extension Requirement {
  fileprivate static let systemCallDispatch = Requirement(
    "a kernel that stops a program's own system calls",
    excuse: "Linux has that since 5.11, on x86-64"
  ) { PreloadedPageLaunch.isSupported }
}
