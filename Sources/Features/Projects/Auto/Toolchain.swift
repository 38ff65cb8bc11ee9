import OrderFileFormat

/// The compilers that a build system calls, and how they get the options that ordering needs.
package enum Toolchain: Hashable, Sendable {
  /// Compilers of C and C++. The build calls them by their names, so that a wrapper sees each call.
  case c
  /// rustc, which links through a compiler of C. A wrapper sees only the links.
  case rust
  /// SwiftPM's compilers and linkers. The build calls them by their paths, so that no wrapper sees a call, and takes
  /// options for them from a toolset. The images are in `imageFolder`.
  case swift(imageFolder: String)

  /// Whether the compilers are C and C++ compilers. Only C and C++ compilers can record data. To instrument, they have
  /// to be clang; rustc and swiftc can instrument, too.
  package var compilesC: Bool { self == .c }

  /// The folder with the images; `nil` if the wrappers note what is linked.
  package var imageFolder: String? {
    if case .swift(let folder) = self { folder } else { nil }
  }

  /// The only linker with which the toolchain orders; `nil` if it orders with each linker that has order files.
  package var onlyLinker: OrderFileDialect? {
    switch self {
    case .c, .rust: nil
    case .swift: .lld
    }
  }

  /// How many times a launch is recorded at least if functions are to be split. A Swift program hashes with a random seed,
  /// so each process runs other blocks of its functions.
  var recordingsToSplit: Int { imageFolder == nil ? 1 : 8 }

  /// The compiler options that a user has to add to compile for ordering; none for rustc.
  package var compileOptions: [String] {
    switch self {
    case .c: ["-ffunction-sections"]
    case .rust: []
    case .swift:
      [
        "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections", "-Xswiftc", "-use-ld=lld",
        "-Xcc", "-ffunction-sections",
      ]
    }
  }

  /// Returns the compiler options that a user has to add to split functions.
  func compileOptions(splitBy profile: String, _ splitter: ProjectSplitter?) -> [String] {
    switch (self, splitter) {
    case (.c, _): ["-fbasic-block-address-map", "-fbasic-block-sections=list=\(profile)"]
    case (.rust, .linker): ["-Clinker-plugin-lto", "-Ccodegen-units=1"]
    case (.rust, _): RustWrapper.splitOptions(profile: profile)
    case (.swift, _): [BuildSystem.swiftLinkOptimization]
    }
  }

  /// Returns the options that a user has to add to link with an order file.
  ///
  /// - Parameter profile: the path of the profile by which the linker splits functions; `nil` if it does not split.
  package func linkOptions(
    _ dialect: OrderFileDialect, orderFile path: String, splitBy profile: String? = nil
  ) -> [String] {
    let arguments =
      (dialect.linkerArguments(orderFile: Array(path.utf8)) ?? []).map {
        String(decoding: $0, as: UTF8.self)
      } + (profile.map { LinkTimeSplitting.arguments(profile: $0) } ?? [])
    let driver =
      ["-fuse-ld=\(dialect.driverName ?? "")", "-Wl,--build-id"]
      + (arguments.contains { $0.contains(",") }
        ? arguments.flatMap { ["-Xlinker", $0] } : ["-Wl,\(arguments.joined(separator: ","))"])
    return switch self {
    case .c: driver
    case .rust: driver.map { "-Clink-arg=\($0)" }
    case .swift:
      (["--build-id"] + arguments + (profile == nil ? [] : LinkTimeSplitting.labelArguments))
        .flatMap { ["-Xlinker", $0] }
    }
  }
}
