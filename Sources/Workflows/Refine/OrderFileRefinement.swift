import ImageModel
import OrderFileFormat
import ProcessLaunch
import Reporting

/// Improves an order file by relinking and launching: `orderfile refine`.
package struct OrderFileRefinement {
  /// The order file to start from.
  package var order: String
  /// The image that `relink` creates.
  package var image: String
  /// The link command, for `sh -c`.
  package var relink: String
  /// The order file to write.
  package var output: String
  /// The launch to refine for.
  package var program: ProgramLaunch
  /// The page size to optimize for.
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
    /// The error that ended the search early.
    package let failure: (any Error)?
    /// Whether the best order was written. After a failure, it is written only if it is better than the given
    /// one.
    package let isWritten: Bool
  }

  /// Tries one move after the other, and writes the best order. From now on, an interrupt ends the launched
  /// programs and not this process.
  ///
  /// - Parameter progress: called with each order that was tried.
  /// - Returns: a result even if a later order fails. The image is then that of the best order so far.
  /// - Throws: if the image can't be linked or launched with the given order; then nothing has changed.
  package func run(_ progress: (RefineDocument.Step) -> Void) throws -> Result {
    let outputFile = try OutputFile(output)
    let bytes = try InputFile.bytes(order)
    let folder = try TemporaryFolder(in: environment)
    let linked = try RelinkedImage(
      path: LibtoolWrapper(at: image)?.program ?? image, command: relink, in: folder)
    let before = try ReleaseLayout(path: linked.path)
    let given = try InputFile.namedOrderFile(bytes, order, of: before.layout.imageFormat)
    let size = pageSize.pageSize(for: before.architecture, format: before.layout.imageFormat)
    let wrapped = program.ofWrappedProgram(in: environment)
    let launch = RefinedLaunch(
      program: wrapped?.launch ?? program, folder: folder, environment: environment)
    Interruption.catchSignals()
    // After a failure too, this restores the image of the best order so far, or the original one.
    defer { linked.restore() }

    var refinement = try Refinement(
      given, bytes.copy(0..<bytes.count), image: linked, launch: launch, size: size)
    var failure: (any Error)?
    do { try refinement.run(progress) } catch { failure = error }
    linked.restore()
    let isWritten = failure == nil || refinement.isBetter
    let written = refinement.written
    if isWritten { try outputFile.finish(written.bytes) }
    return Result(
      document: RefineDocument(
        outputPath: outputFile.path, imagePath: image, pageSize: size, steps: refinement.path,
        floor: refinement.floor, droppedEntries: written.dropped),
      warnings: [wrapped?.note].compactMap { $0 } + refinement.best.warnings,
      failure: failure, isWritten: isWritten)
  }
}
