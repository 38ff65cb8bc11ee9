import ArgumentParser
import CommandSupport
import ImageModel
import LibC
import ProcessLaunch
import Projects

/// `orderfile cc` and `orderfile c++`, and this command under the name of a compiler: runs the compiler with the
/// options that ordering needs. Also runs the commands of a build that `auto` confines to its folder.
enum CompilerCommand {
  /// Replaces this process by the compiler if `words`, the words of this process, ask for that.
  ///
  /// The words are examined before any of them are parsed, because builds call compilers thousands of times, and
  /// because the options are the compiler's.
  ///
  /// - Throws: if there is no such compiler. Returns if `words` ask for another command.
  static func runIfAsked(_ words: [Word]) throws(Diagnostic) {
    let called = words.first?.split(separator: UInt8(ascii: "/")).last ?? []
    if CompilerSearch.isCompiler(String(decoding: called, as: UTF8.self)) {
      try run([Array(called)], Array(words.dropFirst()))
    } else if called.elementsEqual(RustWrapper.name.utf8), words.count > 1 {
      try runRust(words[1], Array(words.dropFirst(2)))
    } else if words.count > 3, words[1] == Array(ConfinedCommand.word.utf8) {
      do { try ProgramLaunch.confineWrites(to: words[2]) } catch {
        // If the kernel can't confine the command, it runs without confinement.
        guard [ENOSYS, EOPNOTSUPP].contains(error.errno) else {
          throw Diagnostic(
            "unable to confine the build to this folder: \(error)",
            context: [String(decoding: words[2], as: UTF8.self)])
        }
      }
      let error = ProgramLaunch.replaceProcess(Array(words.dropFirst(3)))
      throw Diagnostic(
        "unable to run: \(error)", context: [String(decoding: words[3], as: UTF8.self)])
    } else if words.count > 1, let wrapped = wrapped[String(decoding: words[1], as: UTF8.self)] {
      let compiler = variable(wrapped.variable).split(separator: UInt8(ascii: " ")).map {
        Array($0)
      }
      try run(compiler.isEmpty ? [Array(wrapped.usual.utf8)] : compiler, Array(words.dropFirst(2)))
    }
  }

  private static let wrapped = [
    "cc": (variable: "ORDERFILE_CC", usual: "cc"), "c++": (variable: "ORDERFILE_CXX", usual: "c++"),
  ]

  /// - Parameter compiler: the compiler's name, and words that precede all others, such as `ccache gcc`.
  private static func run(_ compiler: [Word], _ words: [Word]) throws(Diagnostic) {
    let search = CompilerSearch(compiler[0], in: variable("PATH"))
    let name = String(decoding: compiler[0], as: UTF8.self)
    guard let path = search.compiler else {
      throw Diagnostic(
        "missing compiler: PATH has none of this name", context: [name],
        hint: "name another in ORDERFILE_CC or ORDERFILE_CXX")
    }
    let call = CompilerCall(words, in: Folder.currentBytes() ?? [], optionFile: OptionFile.bytes)
    let settings = try WrapperSettings(reading: variable)
    let wrapper = CompilerWrapper(
      words, call: call, settings,
      compilesForLLD: search.compilesForLLD(Array(compiler.dropFirst())),
      fileExists: OptionFile.exists)
    if let link = wrapper.link, let log = settings.links {
      LinkLog(log).append(link.output, linker: link.linker)
    }
    setenv("PATH", search.searchPath.map { CChar(bitPattern: $0) } + [0], 1)
    let compilerWords = [path] + compiler.dropFirst()
    if let prefetch = wrapper.prefetch { try compile(prefetch, by: compilerWords) }
    let error = ProgramLaunch.replaceProcess(compilerWords + wrapper.words)
    throw Diagnostic("unable to run: \(error)", context: [String(decoding: path, as: UTF8.self)])
  }

  /// Compiles the source file with which an image prefetches. Several images of the same name may be linked at the same
  /// time, so each call writes a file of its own, and then renames the file.
  ///
  /// - Throws: if the compiler fails. Its messages are on stderr.
  private static func compile(
    _ prefetch: CompilerWrapper.Prefetch, by compiler: [Word]
  ) throws(Diagnostic) {
    let source = String(decoding: prefetch.source, as: UTF8.self)
    let object = prefetch.object + Array(".\(getpid())".utf8)
    let command = (compiler + prefetch.words(object: object)).map {
      String(decoding: $0, as: UTF8.self)
    }
    let end: ProgramLaunch.End
    do { end = try ProgramLaunch(command: command).run().end } catch {
      throw Diagnostic("unable to run: \(error)", context: [command[0]])
    }
    func cString(_ path: Word) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
    guard end == .exited(0), rename(cString(object), cString(prefetch.object)) == 0 else {
      unlink(cString(object))
      throw Diagnostic(
        "unable to compile the source file with which the image prefetches (\(end))",
        context: [source],
        hint: "remove this file to link without prefetching")
    }
  }

  private static func runRust(_ compiler: Word, _ words: [Word]) throws(Diagnostic) {
    var settings = try WrapperSettings(reading: variable)
    // rustc separates LLVM's options at blanks, so a path with a blank is passed as an open file.
    if let profile = settings.split, profile.contains(where: { [0x20, 0x09, 0x0a].contains($0) }) {
      settings.split = OptionFile.inheritedPath(profile)
    }
    let wrapper = RustWrapper(words, settings, fileExists: OptionFile.exists)
    let path = CompilerSearch(compiler, in: variable("PATH")).compiler ?? compiler
    let error = ProgramLaunch.replaceProcess([path] + wrapper.words)
    throw Diagnostic("unable to run: \(error)", context: [String(decoding: path, as: UTF8.self)])
  }

  /// Returns the bytes of a variable of this process's environment; empty if it is not set.
  private static func variable(_ name: String) -> Word {
    guard let value = getenv(name) else { return [] }
    return (0..<strlen(value)).map { UInt8(bitPattern: value[$0]) }
  }
}

/// The help of `orderfile cc`, which `CompilerCommand` runs.
struct CCompilerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cc",
    abstract: "Call the C compiler with the options that ordering needs.",
    discussion: """
      EXAMPLES
        $ CC='orderfile cc' CXX='orderfile c++' ./configure && make
        $ ORDERFILE_ORDERS=$PWD/orders make CC='orderfile cc'

      This wrapper calls cc, or the command that ORDERFILE_CC names ('ccache gcc'), with all given arguments. It \
      adds -ffunction-sections to commands that compile. To commands that link an image, it adds the options for a \
      build ID and for a linker that can order. If ORDERFILE_ORDERS=FOLDER is set, it links the image NAME with \
      the order file FOLDER/NAME.order, if that exists, and first compiles and then links FOLDER/NAME-prefetch.c, if \
      that exists. Linker options that the project sets take precedence. \
      Probes of configure, CMake and Meson are passed on unchanged.

      ORDERFILE_LINKER is lld (the default if it is installed), gold or gnu-ld (the default otherwise). \
      ORDERFILE_RECORDER=FILE gives the path of orderfile_rt.o: clang then builds instrumented images. \
      ORDERFILE_DATA=1 gives each variable a section; instrumented images then record data, too. The linker writes \
      link maps to ORDERFILE_MAPS=FOLDER. With ORDERFILE_SPLIT=FILE, clang 19 or later writes a map of basic \
      blocks; once FILE exists, clang splits functions by FILE, a profile of 'gen --split-profile'. The words of \
      ORDERFILE_CFLAGS and ORDERFILE_LDFLAGS are added to commands that compile and that link. A symbolic link to \
      this command that has the name of a compiler, such as gcc, wraps that compiler.
      """, shouldDisplay: false)
  @Argument(parsing: .captureForPassthrough, help: "The arguments for the compiler.")
  var words: [String] = []
}

/// The help of `orderfile c++`.
struct CxxCompilerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "c++",
    abstract:
      "Call the C++ compiler with the options that ordering needs: see 'orderfile help cc'.",
    discussion: """
      EXAMPLES
        $ CC='orderfile cc' CXX='orderfile c++' ./configure && make
        $ ORDERFILE_CXX=clang++ orderfile c++ -O2 -c app.cpp

      This wrapper calls c++, or the command that ORDERFILE_CXX names.
      """, shouldDisplay: false)
  @Argument(parsing: .captureForPassthrough, help: "The arguments for the compiler.")
  var words: [String] = []
}
