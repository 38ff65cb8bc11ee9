import CommandSupport
import ImageModel
import OrderFileFormat

/// How `auto` builds a project: by which build system, with which linker, and for which goal. A plan is made once, before
/// anything is written.
package struct BuildPlan: Hashable, Sendable {
  package let system: BuildSystem
  /// The linker to use where the project does not demand one.
  package let linker: OrderFileDialect
  package let goal: AutoGoal
  /// The tool that splits functions; `nil` if functions are not split.
  package let splitter: ProjectSplitter?

  /// - Parameters:
  ///   - linker: the linker that the user wants; `nil` for the best installed linker.
  ///   - splitter: the tool that splits functions, if `goal` is to split them.
  /// - Throws: `usage` if the project can't be ordered for this goal; an error if the linker can't be used.
  package init(
    _ system: BuildSystem, goal: AutoGoal, linker: OrderFileDialect?,
    splitter: ProjectSplitter? = nil, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    if let refusal = goal.refusal(of: system) { throw refusal }
    self.system = splitter == .linker ? system.optimizingAtLink : system
    self.goal = goal
    self.splitter = splitter
    if let linker {
      try Self.check(linker, of: system, goal, splitter, in: environment)
      self.linker = linker
    } else {
      self.linker = try environment.orderingLinker()
      guard goal != .data || self.linker.ordersData else {
        throw Diagnostic(
          "unable to order data: PATH has no ld.lld", context: ["--data"], hint: "install lld")
      }
    }
  }

  /// - Throws: if the user's `linker` can't be used.
  private static func check(
    _ linker: OrderFileDialect, of system: BuildSystem, _ goal: AutoGoal,
    _ splitter: ProjectSplitter?, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    guard goal != .data || linker.ordersData else {
      throw Diagnostic(
        "unable to order data with \(linker): expected lld", context: ["--linker"])
    }
    guard splitter != .linker || linker == .lld else {
      throw Diagnostic(
        "unable to split with \(linker): expected lld, because the linker has to split",
        context: ["--linker"])
    }
    if let only = system.toolchain.onlyLinker, linker != only {
      throw Diagnostic(
        "unsupported linker: expected \(only) for a Swift package, found '\(linker)'",
        context: ["--linker"])
    }
    guard let name = linker.driverName else {
      throw Diagnostic(
        "unsupported linker: expected \(OrderFileDialect.listForELF), found '\(linker)'",
        context: ["--linker"])
    }
    guard (try? environment.program(named: "ld.\(name)")) != nil else {
      throw Diagnostic(
        "missing linker: PATH has no ld.\(name)", context: ["--linker"],
        hint: "install it, or leave out --linker")
    }
  }

  /// One of the builds of a run.
  package enum Variant: Hashable, Sendable {
    /// The release build, in the order that the linker chooses.
    case plain
    /// A build that records itself, with the recorder at this path.
    case instrumented(recorder: String)
    /// The release build, in the order of the order files.
    case ordered

    var recorder: String? { if case .instrumented(let path) = self { path } else { nil } }
  }

  /// How objects are compiled. A build system does not compile again if only the options that wrappers add have
  /// changed. So objects of another kind are removed before a build.
  package enum Objects: String, Sendable {
    case whole
    /// Objects in which functions are whole, and each variable has a section of its own.
    case wholeWithData
    /// Objects in which functions are whole, with a map of basic blocks.
    case mapped
    /// Objects in which functions are split by a profile, with a map of basic blocks.
    case split
    /// Objects with LLVM's bitcode. The linker compiles them: it writes the map of basic blocks, and splits functions.
    case bitcode
    /// Objects in which functions call the recorder.
    case instrumented
  }

  /// Returns how a build of this variant compiles objects.
  ///
  /// - Parameter hasProfile: whether there is a profile by which functions are split.
  package func objects(of variant: Variant, hasProfile: Bool) -> Objects {
    switch (variant, goal) {
    case (.instrumented, _): .instrumented
    case (_, .functions): .whole
    case (_, .data): .wholeWithData
    case (_, .split): splitter == .linker ? .bitcode : hasProfile ? .split : .mapped
    }
  }

  /// Returns the environment variables for a build of this variant.
  func variables(
    of variant: Variant, in folder: AutoFolder
  ) -> [(name: String, value: String)] {
    var settings = WrapperSettings()
    settings.linker = linker
    settings.links = Word(folder.linkLog.utf8)
    settings.orders = variant == .ordered ? Word(folder.orders.utf8) : nil
    settings.recorder = variant.recorder.map { Word($0.utf8) }
    settings.data = goal == .data
    settings.split = goal == .split ? Word(folder.splitProfile.utf8) : nil
    settings.bitcode = splitter == .linker
    var variables = settings.variables
    // Objects depend on the contents of the profile. ccache sees these contents only through this variable.
    if goal == .split { variables.append(("CCACHE_EXTRAFILES", folder.splitProfile)) }
    // RUSTC_WRAPPER also replaces a wrapper by which the user caches compiled files.
    if variant.recorder != nil || goal == .split && system.toolchain == .rust {
      variables.append(("RUSTC_WRAPPER", "\(folder.tools)/\(RustWrapper.name)"))
    }
    if splitter == .linker { variables += system.linkOptimizationVariables }
    return variables + [(SwiftToolset.variable, toolset(of: variant, in: folder))]
  }

  /// Returns the path of the toolset for a build of this variant.
  ///
  /// SwiftPM plans a build again if an environment variable has changed, but not if the contents of the toolset have. So
  /// toolsets with different options have different paths. Planning each build again would be no remedy: SwiftPM then
  /// also compiles the tools of plugins and all files that they generate.
  func toolset(of variant: Variant, in folder: AutoFolder) -> String {
    if variant.recorder != nil { return folder.recordingToolset }
    return Folder.hasFile(folder.splitProfile) ? folder.splitToolset : folder.toolset
  }

  /// Returns the compiler options that a user has to add for this order.
  ///
  /// - Parameters:
  ///   - profile: the path of the profile by which functions were split; `nil` if no functions were split.
  ///   - isOCaml: whether ocamlopt has compiled the image.
  package func compileOptions(splitBy profile: String?, isOCaml: Bool = false) -> [String] {
    if isOCaml { return ["-function-sections"] }
    let data = goal == .data ? ["-fdata-sections"] : []
    return system.toolchain.compileOptions + data
      + (profile.map { system.toolchain.compileOptions(splitBy: $0, splitter) } ?? [])
  }

  /// Returns the options that a user has to add to link with an order file.
  ///
  /// - Parameter profile: the path of the profile by which functions were split; `nil` if no functions were split.
  func linkOptions(
    _ dialect: OrderFileDialect, orderFile path: String, splitBy profile: String?
  ) -> [String] {
    system.toolchain.linkOptions(
      dialect, orderFile: path, splitBy: splitter == .linker ? profile : nil)
  }
}
