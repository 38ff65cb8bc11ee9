import OrderFileFormat

/// The words for a compiler driver, with the options that ordering needs: `orderfile cc` and `orderfile c++`.
///
/// The added options precede the words of the call. So the project's own options override them, and `--`, `-x` and
/// option files do not affect them. Calls that neither compile nor link, and calls of configuration scripts, are passed
/// on unchanged.
package struct CompilerWrapper {
  /// The words that are passed on to the compiler.
  package let words: [Word]
  /// The image that the call links, by the path in the call, and the linker; `nil` if the call links no image.
  package let link: Link?
  /// What has to be compiled before the link; `nil` if the image does not prefetch.
  package let prefetch: Prefetch?

  package struct Link: Hashable {
    package var output: Word
    package var linker: BuildLinker

    package init(output: Word, linker: BuildLinker) {
      self.output = output
      self.linker = linker
    }
  }

  /// The source file with which an image prefetches. The compiler that links the image compiles the file, so the object
  /// fits the image.
  package struct Prefetch: Hashable {
    package var source: Word
    /// The path of the object, which is an input of the link.
    package var object: Word
    fileprivate var targetWords: [Word]

    /// Returns the words for the compiler that compile the source file to `object`.
    package func words(object: Word) -> [Word] {
      targetWords + ["-O2", "-fPIC", "-x", "c", "-c"].map { Array($0.utf8) }
        + [source, Array("-o".utf8), object]
    }
  }

  /// - Parameters:
  ///   - words: the words of the call, without the compiler.
  ///   - compilesForLLD: whether lld can link what the compiler generates for link-time optimization. `false` for gcc,
  ///     which can't split functions by a profile either.
  ///   - fileExists: whether there is a file at a path.
  package init(
    _ words: [Word], call: CompilerCall, _ settings: WrapperSettings, compilesForLLD: Bool,
    fileExists: (Word) -> Bool
  ) {
    guard !call.isProbe, !call.work.isEmpty else {
      self.words = words
      link = nil
      prefetch = nil
      return
    }
    var added: [String] = []
    var compileWords: [Word] = []
    if call.work.contains(.compiling) {
      added.append("-ffunction-sections")
      if settings.data { added.append("-fdata-sections") }
      if settings.recorder != nil {
        added.append(
          "-fsanitize-coverage=func,trace-pc-guard,pc-table"
            + (settings.data ? ",trace-loads,trace-stores" : ""))
      }
      // If the linker optimizes (link-time optimization), the linker splits the functions, not this compilation.
      if let split = settings.split, compilesForLLD, !call.optimizesAtLink {
        added.append("-fbasic-block-address-map")
        if fileExists(split) {
          compileWords = [Array("-fbasic-block-sections=list=".utf8) + split]
        }
      }
      compileWords += settings.compileOptions
    } else if call.optimizesAtLink {
      added.append("-ffunction-sections")
      if settings.data { added.append("-fdata-sections") }
    }
    var linkWords: [Word] = []
    if call.work.contains(.linking) {
      let linker = Self.linker(of: call, settings, compilesForLLD)
      if call.linker == nil { added.append("-fuse-ld=\(linker.name)") }
      let link = Link(output: call.output, linker: linker)
      let prefetch = Self.prefetch(link, call, settings, fileExists)
      linkWords = Self.linkWords(link, call, settings, prefetch, fileExists)
      if call.hasBitcode || call.optimizesAtLink && compilesForLLD {
        linkWords += Self.splitWords(link, settings, fileExists)
      }
      linkWords += settings.linkOptions
      self.link = link
      self.prefetch = prefetch
    } else {
      link = nil
      prefetch = nil
    }
    self.words =
      added.map { Array($0.utf8) } + compileWords + linkWords
      + (link == nil ? words : CompilerCall.withoutStripping(words))
  }

  private static func linker(
    of call: CompilerCall, _ settings: WrapperSettings, _ compilesForLLD: Bool
  ) -> BuildLinker {
    call.linker
      ?? BuildLinker(call.optimizesAtLink && !compilesForLLD ? .gnuLD : settings.linker)
  }

  /// Returns the path of the file in `folder` that belongs to the linked image.
  private static func path(_ folder: Word, _ link: Link, _ ending: String) -> Word {
    let name = link.output.split(separator: UInt8(ascii: "/")).last ?? []
    return folder + [UInt8(ascii: "/")] + name + Array(ending.utf8)
  }

  private static func prefetch(
    _ link: Link, _ call: CompilerCall, _ settings: WrapperSettings, _ fileExists: (Word) -> Bool
  ) -> Prefetch? {
    guard let folder = settings.orders else { return nil }
    let source = path(folder, link, "-prefetch.c")
    guard fileExists(source) else { return nil }
    return Prefetch(
      source: source, object: path(folder, link, "-prefetch.o"), targetWords: call.targetWords)
  }

  /// Returns the words with which lld, if it generates the code, writes a map of basic blocks and splits functions.
  private static func splitWords(
    _ link: Link, _ settings: WrapperSettings, _ fileExists: (Word) -> Bool
  ) -> [Word] {
    guard let profile = settings.split, link.linker.dialect == .lld else { return [] }
    let path = fileExists(profile) ? String(decoding: profile, as: UTF8.self) : nil
    return LinkTimeSplitting.arguments(profile: path)
      .flatMap { ["-Xlinker", $0] }.map { Array($0.utf8) }
  }

  private static func linkWords(
    _ link: Link, _ call: CompilerCall, _ settings: WrapperSettings, _ prefetch: Prefetch?,
    _ fileExists: (Word) -> Bool
  ) -> [Word] {
    let dialect = link.linker.dialect
    var options: [Word] = [Array("--build-id".utf8)]
    if call.hasVersionScript, let argument = dialect?.undefinedVersionArgument {
      options.append(Array(argument.utf8))
    }
    if let folder = settings.maps, !call.hasMap {
      options.append(Array("-Map=".utf8) + path(folder, link, ".map"))
    }
    if let folder = settings.orders, fileExists(path(folder, link, ".order")),
      let arguments = dialect?.linkerArguments(orderFile: path(folder, link, ".order"))
    {
      options += arguments
      if let argument = dialect?.quietArgument { options.append(Array(argument.utf8)) }
    }
    // rustc may already have named the recorder.
    let recorder = settings.recorder.flatMap { call.inputs.contains($0) ? nil : $0 }
    return [recorder, prefetch?.object].compactMap { $0 }
      + options.flatMap { [Array("-Xlinker".utf8), $0] }
  }
}
