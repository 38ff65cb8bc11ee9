import ImageModel
import OrderFileFormat
import ProcessLaunch
import Reporting

/// An order file that is improved by relinking and launching: `orderfile refine`.
package struct OrderFileRefinement {
  /// The order file to begin with.
  package var order: String
  /// The image that is linked.
  package var image: String
  /// What links it, for `sh -c`.
  package var relink: String
  /// The order file to write.
  package var output: String
  /// What is launched.
  package var program: ProgramLaunch
  /// The pages to save.
  package var pageSize = PageSizeChoice.automatic
  package var environment: LaunchEnvironment

  package init(
    order: String, image: String, relink: String, output: String, program: ProgramLaunch,
    in environment: LaunchEnvironment
  ) {
    self.order = order
    self.image = image
    self.relink = relink
    self.output = output
    self.program = program
    self.environment = environment
  }

  package struct Result {
    package let document: RefineDocument
    package let warnings: [Diagnostic]
    /// What ended the search before its time.
    package let failure: (any Error)?
    /// Whether the best order was written. After a failure that is so only if it is better than the given one.
    package let isWritten: Bool
  }

  /// Tries one change after the other, and writes the best order. From now on an interrupt ends what is
  /// launched, and not this process.
  ///
  /// - Parameter progress: is told each order that was tried.
  /// - Returns: also where a later order fails. The image is then that of the best order so far.
  /// - Throws: if the image can't be linked or launched with the order that was given; all stays as it was.
  package func run(_ progress: (RefineDocument.Step) -> Void) throws -> Result {
    let outputFile = try OutputFile(output)
    let bytes = try InputFile.bytes(order)
    let folder = try TemporaryFolder(in: environment)
    let linked = try RelinkedImage(path: image, command: relink, in: folder)
    let before = try ReleaseLayout(path: linked.path)
    let given = try InputFile.orderFile(bytes, order, of: before.layout.imageFormat)
    let size = pageSize.pageSize(for: before.architecture, format: before.layout.imageFormat)
    let launch = RefinedLaunch(program: program, folder: folder, environment: environment)
    Interruption.catchSignals()
    // Also where something fails: the image of the best order so far, or the one that was there.
    defer { linked.restore() }

    var refinement = try Refinement(
      given, bytes.copy(0..<bytes.count), image: linked, launch: launch, size: size)
    var failure: (any Error)?
    do { try refinement.run(progress) } catch { failure = error }
    linked.restore()
    let isWritten = failure == nil || refinement.isBetter
    if isWritten { try outputFile.finish(refinement.best.bytes) }
    return Result(
      document: RefineDocument(
        outputPath: outputFile.path, imagePath: image, pageSize: size, steps: refinement.path,
        floor: refinement.floor), warnings: refinement.best.release.warnings,
      failure: failure, isWritten: isWritten)
  }
}
