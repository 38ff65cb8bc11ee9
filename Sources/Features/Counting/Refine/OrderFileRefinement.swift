import ClusterProfileFormat
import CommandSupport
import ImageModel
import OrderFileFormat
import ProcessLaunch

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
  /// The profile for splitting functions to start from, by which `relink` splits functions. A better profile replaces
  /// it.
  package var split: String?
  /// The launches that the order is improved for, at least one.
  package var launches: [Launch]
  /// The page size to optimize for.
  package var pageSize = PageSizeChoice.automatic
  package var environment: LaunchEnvironment

  package init(
    order: String, image: String, relink: String, output: String, launches: [Launch],
    in environment: LaunchEnvironment
  ) {
    self.order = order
    self.image = image
    self.relink = relink
    self.output = output
    self.launches = launches
    self.environment = environment
  }

  /// A launch that the order is improved for.
  package struct Launch: Sendable {
    /// The words of the command.
    package var command: [String]
    package var conditions: LaunchConditions
    /// The launch in a file of launches; `nil` for a launch of the command line.
    package var described: DescribedLaunch?

    package init(_ command: [String], _ conditions: LaunchConditions) {
      self.command = command
      self.conditions = conditions
    }

    /// - Throws: if the folder of the launch does not exist.
    package init(_ launch: DescribedLaunch) throws(Diagnostic) {
      self.init(try launch.words(), LaunchConditions(of: launch))
      described = launch
    }
  }

  package struct Result {
    package let document: RefineDocument
    /// A note for each optional launch that failed with the given order, and was left out.
    package let notes: [Diagnostic]
    package let warnings: [Diagnostic]
    /// The error that ended the search early; `nil` if the search was completed.
    package let failure: (any Error)?
    /// Whether the best order was written. After a failure, it is written only if it is better than the given order.
    package let isWritten: Bool
  }

  /// Tries one move after the other, and writes the best order. After this call, an interrupt ends the launched
  /// programs and not this process.
  ///
  /// - Parameter progress: called with each order that was tried.
  /// - Returns: a result even if a later order fails. The image is then in the best order so far.
  /// - Throws: if the image can't be linked or launched with the given order; then nothing has changed.
  package func run(_ progress: (RefineDocument.Step) -> Void) throws -> Result {
    let outputFile = try OutputFile(output)
    let bytes = try InputFile.bytes(order)
    let profileFile = try split.map { try OutputFile($0) }
    let profile = try split.map { try Self.profile($0) }
    let folder = try TemporaryFolder(in: environment)
    let linked = try RelinkedImage(
      path: LibtoolWrapper(at: image)?.program ?? image, command: relink, in: folder)
    let before = try ReleaseLayout(path: linked.path)
    let file = try InputFile.namedOrderFile(bytes, order, of: before.layout.imageFormat)
    let given = file.orders(of: [before.orderedBuild(before.architecture)]).order
    let size = pageSize.pageSize(for: before.architecture, format: before.layout.imageFormat)
    Interruption.catchSignals()
    let inputs = try launches.map { launch throws(Diagnostic) in
      try launch.conditions.keptInput(in: environment)
    }
    defer { withExtendedLifetime(inputs) {} }
    var wrappers: [Diagnostic] = []
    let prepared = zip(launches, inputs).map { launch, input in
      var program = launch.conditions.launch(of: launch.command)
      if let wrapped = program.ofWrappedProgram(in: environment) {
        program = wrapped.launch
        if !wrappers.contains(wrapped.note) { wrappers.append(wrapped.note) }
      }
      return RefinedLaunch(
        name: launch.described?.name, place: launch.described?.place ?? [],
        isRequired: launch.described?.isRequired ?? true, program: program, inputPath: input.path,
        folder: folder, environment: environment)
    }
    // Also after a failure, this restores the image of the best order so far, or the original image.
    defer { linked.restore() }

    var refinement = try Refinement(
      Refinement.Candidate(
        order: given, bytes: bytes.copy(0..<bytes.count),
        others: file.linesOfOthers(than: given, in: bytes), profile: profile),
      image: linked, launches: prepared, size: size)
    var failure: (any Error)?
    do { try refinement.run(progress) } catch { failure = error }
    linked.restore()
    let isWritten = failure == nil || refinement.isBetter
    let written = refinement.written
    if isWritten {
      let best = refinement.best.candidate
      if best.profile != profile, let profileFile, let bytes = best.profileBytes {
        try profileFile.finish(bytes)
      }
      try outputFile.finish(written.bytes)
    }
    return Result(
      document: RefineDocument(
        outputPath: outputFile.path, imagePath: image, pageSize: size, steps: refinement.path,
        floor: refinement.best.floor(size), data: refinement.best.dataPages,
        launches: refinement.launchesOfFile, droppedEntries: written.dropped),
      notes: refinement.notes, warnings: wrappers + refinement.best.warnings, failure: failure,
      isWritten: isWritten)
  }

  private static func profile(_ path: String) throws(Diagnostic) -> ClusterProfile {
    let bytes = try InputFile.bytes(path)
    do { return try ClusterProfile(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }
}
