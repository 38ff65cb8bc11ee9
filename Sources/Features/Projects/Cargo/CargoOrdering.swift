// Orders what cargo links: `cargo orderfile`.
//
// `cargo orderfile` records the release build itself, so there is one build. It makes an instrumented build only if no
// other method works. All options for the linker follow the `--` of `cargo rustc`. So only the crate that is linked
// gets them, the crates that it uses stay as they are, and flags of the project still count. cargo compiles that crate
// again whenever these options differ from the options of its last build.

import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat
import Ordering
import Prediction
import ProcessLaunch
import Symbolication

/// The work of `cargo orderfile`: builds a target, records its launches, and orders it.
package struct CargoOrdering {
  let words: CargoWords
  let environment: LaunchEnvironment
  /// The linker to use where the project demands no other.
  private let linker: OrderFileDialect
  /// Options that choose the target, if `words` do not.
  private let selection: [String]
  /// The folder of the workspace.
  private let workspace: String
  /// The value of the environment variable that sets `strip` for the profile; `nil` if it is not set.
  private let stripVariable: String?
  /// Warnings about flags for all crates.
  package let warnings: [Diagnostic]

  /// - Parameters:
  ///   - flagVariables: the names in `CargoFlags.variables` that are set.
  ///   - stripVariable: the value of `CargoStripping.variable`; `nil` if it is not set.
  /// - Throws: if there is no linker that can order, or no single target.
  package init(
    _ words: CargoWords, flagVariables: [String], stripVariable: String?,
    in environment: LaunchEnvironment
  ) throws {
    self.words = words
    self.environment = environment
    self.stripVariable = stripVariable
    linker = try environment.orderingLinker()
    let metadata = try CargoWorkspace.metadata(words, environment)
    selection = try metadata.selection(for: words, manifest: try CargoWorkspace.manifest(words))
    workspace = metadata.workspace
    warnings = CargoFlags.warnings(variables: flagVariables, in: try Folder.absolutePath("."))
  }

  /// Builds the target in the default order.
  ///
  /// - Throws: if cargo fails, if the target is not linked, if its linker can't order, or if it has no symbols.
  package func build() throws -> CargoArtifact {
    let image = try link()
    _ = try dialect(of: image)
    try checkSymbols(of: image)
    return image
  }

  /// Returns the dialect of the linker that linked `image`. The project's flags may choose another linker than `link`
  /// does.
  private func dialect(of image: CargoArtifact) throws(Diagnostic) -> OrderFileDialect {
    try BuildLinker(ofImage: try InputFile.bytes(image.path)).orderingDialect(of: image.path)
  }

  package struct Ordered {
    package let image: CargoArtifact
    /// The path of the order file.
    package let order: String
    package let diff: LayoutDiff
    package let warnings: [Diagnostic]
  }

  /// Builds the target in the order of the recorded launches.
  ///
  /// - Throws: if no launch was recorded.
  package func optimize() throws -> Ordered {
    let image = try build()
    let results = try CargoResults(of: image)
    let traces = results.traces
    guard !traces.isEmpty else {
      throw Diagnostic(
        "no launch was recorded", context: [image.path],
        hint: "\(words.command("run")) -- \(image.isLibrary ? "PROGRAM " : "")ARGUMENTS",
        severity: .nothingRecorded)
    }
    try OutputFile(results.byDefault).finish(copyOf: image.path)
    var options = OrderGeneration.Options(traces: traces)
    options.recorded = [results.recorded]
    options.builds = .one(image: results.byDefault)
    let linker = try dialect(of: image)
    options.linker = linker
    var generation = try OrderGeneration(options)
    guard let name = generation.fileNames.first else {
      throw Diagnostic("missing image in the traces")
    }
    let order = try generation.order(ofImageNamed: name, outputPath: results.order)
    try OutputFile(results.order).finish(order.bytes)
    let ordered = try link(with: linker, orderFile: results.order)
    var compared = LayoutDiff.Options(before: results.byDefault, after: ordered.path)
    compared.launches.traces = traces
    compared.launches.recorded = [results.recorded]
    compared.launches.order = results.order
    return Ordered(
      image: ordered, order: results.order, diff: try LayoutDiff(compared),
      warnings: generation.warnings)
  }

  /// Builds the target with cargo, which prints its progress.
  ///
  /// - Parameters:
  ///   - dialect: the dialect of the linker, unless the project demands another linker; `nil` for the usual linker.
  ///   - targetFolder: as for `CargoWords.build`.
  ///   - variables: variables to add to cargo's environment.
  func link(
    with dialect: OrderFileDialect? = nil, orderFile: String? = nil, targetFolder: String? = nil,
    variables: [(name: String, value: String)] = []
  ) throws -> CargoArtifact {
    let linker = dialect ?? linker
    var options = ["-fuse-ld=\(linker.driverName ?? "")", "-Wl,--build-id"]
    if let orderFile {
      let arguments = linker.linkerArguments(orderFile: Array(orderFile.utf8)) ?? []
      options += arguments.flatMap { ["-Xlinker", String(decoding: $0, as: UTF8.self)] }
      if let argument = linker.quietArgument { options.append("-Wl,\(argument)") }
    }
    return try CargoArtifact(
      inMessages: try CapturedCommand(environment).output(
        of: words.build(selection: selection, linkWords: options, targetFolder: targetFolder),
        variables: variables))
  }

  private func checkSymbols(of image: CargoArtifact) throws(Diagnostic) {
    let bytes = try InputFile.bytes(image.path)
    let (read, _) = try Image.reading(bytes, path: image.path, slice: SliceChoice(nil))
    guard read.symbolSource == .dynamicSymbols else { return }
    let key = "profile.\(words.profile).strip"
    throw Diagnostic(
      "the image has no symbols, but functions are ordered by their symbols", context: [image.path],
      hint: placeOfStripping().map {
        "\($0) strips the symbols: add --config '\(key)=\"none\"', and strip a copy at the end"
      }
        ?? "\(key) keeps symbols: remove other options that strip the image, such as -Cstrip in rustflags"
    )
  }

  /// Returns what makes the profile strip symbols: an option, a variable, or a line of a file; `nil` if nothing does.
  private func placeOfStripping() -> String? {
    if let value = words.value(of: "--config"),
      CargoStripping.line(for: words.profile, in: value) != nil
    {
      return "--config"
    }
    if let value = stripVariable {
      return CargoStripping.isStripping(value) ? CargoStripping.variable(for: words.profile) : nil
    }
    let manifest = "\(workspace)/Cargo.toml"
    let files = CargoSettings.configurationFiles(in: (try? Folder.absolutePath(".")) ?? workspace)
    let text = (try? InputFile.bytes(manifest)).map { $0.text(0..<$0.count) } ?? ""
    return (files + [(manifest, text)]).lazy.compactMap { file in
      CargoStripping.line(for: words.profile, in: file.text).map { "\(file.path):\($0)" }
    }.first
  }
}

/// Operations on a whole workspace.
package enum CargoWorkspace {
  /// The folder of the workspace.
  package static func path(_ words: CargoWords, in environment: LaunchEnvironment) throws -> String
  {
    try metadata(words, environment).workspace
  }

  /// Removes all launches and orders.
  ///
  /// - Returns: the folders that were removed.
  package static func clean(
    _ words: CargoWords, in environment: LaunchEnvironment
  ) throws -> [String] {
    CargoResults.remove(
      below: try words.value(of: "--target-dir") ?? metadata(words, environment).targetFolder)
  }

  static func metadata(
    _ words: CargoWords, _ environment: LaunchEnvironment
  ) throws -> CargoMetadata {
    try CargoMetadata(CapturedCommand(environment).output(of: words.metadata))
  }

  /// Returns the path of the `Cargo.toml` that cargo reads: by default the first one in the current folder and the
  /// folders above it.
  static func manifest(_ words: CargoWords) throws(Diagnostic) -> String {
    if let path = words.value(of: "--manifest-path") { return try Folder.absolutePath(path) }
    var parts = try Folder.absolutePath(".").split(separator: "/")
    while true {
      let path = parts.map { "/\($0)" }.joined() + "/Cargo.toml"
      if Folder.hasFile(path) || parts.isEmpty { return path }
      parts.removeLast()
    }
  }
}
