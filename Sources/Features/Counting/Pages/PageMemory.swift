import CommandSupport
import ImageModel
import PagesFormat
import ProcessLaunch

/// The resident memory of the counted images. The memory is read in launches of its own, in which no access is removed.
struct PageMemory {
  /// The program to launch. If a file was opened as its standard input, each launch reads the file from its start;
  /// otherwise the input is empty.
  var program: ProgramLaunch
  var environment: LaunchEnvironment

  /// Adds its resident memory to each image.
  ///
  /// - Returns: a warning for each image that no process had mapped when memory was read, such as a library that was
  ///   unloaded.
  /// - Throws: if a launch fails, or if its memory can't be read.
  func add(to images: inout [PagesDocument.Image]) throws(Diagnostic) -> [Diagnostic] {
    var launches = MemoryLaunches(
      program, inputPath: program.streams.input.map { "/proc/self/fd/\($0)" },
      images: images.map(\.path), ignoresFailure: true, in: environment)
    for _ in 0..<MemoryFigures.usualLaunches where !Interruption.hasCome { try launches.launch() }
    var warnings: [Diagnostic] = []
    for index in images.indices {
      do { images[index].memory = try launches.figures(of: images[index].path) } catch {
        warnings.append(error)
      }
    }
    return warnings
  }
}
