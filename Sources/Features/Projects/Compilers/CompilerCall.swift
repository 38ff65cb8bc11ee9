// What a call of a C or C++ compiler does, concluded from its words alone.
//
// A wrapper may add options to a call only if it knows that the call compiles or links a part of the project. Compiler
// drivers read their words as options and inputs, and some options take the next word. `CompilerCall` reads words in
// the same way: it knows the options of clang and gcc that take the next word, and every other word that begins with a
// hyphen is an option of one word. Words are bytes, because paths are bytes. The words of an option file (`@file`)
// count as words of the call.

/// A word of a command line.
package typealias Word = [UInt8]

/// A call of a compiler driver: clang, gcc, or a driver that takes the same options.
package struct CompilerCall: Hashable {
  /// What the call does; empty if the call only preprocesses, or only prints something, as with `--version`.
  package struct Work: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// The call generates code of a language that has functions.
    package static let compiling = Work(rawValue: 1)
    /// The call creates an executable or a shared library.
    package static let linking = Work(rawValue: 2)
  }

  package private(set) var work: Work = []
  /// The path that a link creates, as the call gives it.
  package private(set) var output: Word = Array("a.out".utf8)
  /// The linker that the call demands; `nil` for the driver's default.
  package private(set) var linker: BuildLinker?
  /// Whether code is generated at the link (link-time optimization).
  package private(set) var optimizesAtLink = false
  /// Whether the call has options for LLVM's code generation at the link. rustc gives them with bitcode.
  package private(set) var hasBitcode = false
  /// Whether the call writes a link map.
  package private(set) var hasMap = false
  /// The files that are compiled or linked.
  package private(set) var inputs: [Word] = []
  /// Whether a configuration script makes the call to learn what the compiler can do. A wrapper must not change such a
  /// call: with other options, the compiler might give another answer.
  package private(set) var isProbe = false
  /// Whether the linker gets a version script.
  package private(set) var hasVersionScript = false
  /// The words that choose the processor, the system and its files: another call with these words makes objects that
  /// this call can link.
  package private(set) var targetWords: [Word] = []

  /// - Parameters:
  ///   - words: the words of the call, without the compiler.
  ///   - folder: the current folder.
  ///   - optionFile: returns the contents of an option file; `nil` if it can't be read. Then `@file` is an input.
  /// - Complexity: O(*n*) for *n* bytes in all words and option files; at most 16 MiB of option files are read.
  package init(
    _ words: [Word], in folder: Word = [], optionFile: (Word) -> [UInt8]? = { _ in nil }
  ) {
    var reading = Reading()
    for (word, value) in Arguments(OptionFiles.expanding(words, optionFile)) {
      if let value {
        reading.read(word, value)
      } else {
        reading.read(word)
      }
    }
    output = reading.output ?? output
    // clang prefers `--ld-path=` to `-fuse-ld=`, in whichever order they are.
    linker = (reading.linkerPath ?? reading.linker).map {
      BuildLinker(demandedBy: String(decoding: $0, as: UTF8.self))
    }
    (optimizesAtLink, hasMap) = (reading.optimizesAtLink, reading.hasMap)
    hasVersionScript = reading.hasVersionScript
    hasBitcode = reading.hasBitcode
    targetWords = reading.targetWords
    inputs = reading.inputs
    isProbe = Self.isProbe(reading.files + [output, folder])
    guard !reading.isQuery, !reading.inputs.isEmpty, !reading.makesHeader else { return }
    if reading.inputs.contains(where: reading.hasFunctions) { work.insert(.compiling) }
    if !reading.stopsEarly, !reading.isRelocatable { work.insert(.linking) }
  }

  /// The names by which autoconf, CMake and Meson call the files and folders in which they try a compiler. File names
  /// begin with one of `probeNames`.
  private static let probeNames = [
    "conftest", "CMakeTryCompile", "testCCompiler", "testCXXCompiler",
  ]
  private static let probeFolders = [
    "CMakeScratch", "CMakeTmp", "CompilerIdC", "CompilerIdCXX", "meson-private",
  ]

  private static func isProbe(_ paths: [Word]) -> Bool {
    paths.contains { path in
      let parts = path.split(separator: UInt8(ascii: "/"))
      return parts.contains { part in probeFolders.contains { part.elementsEqual($0.utf8) } }
        || parts.last.map { name in probeNames.contains { name.starts(with: $0.utf8) } } ?? false
    }
  }
}

/// The options and inputs of a call. An option that takes the next word comes with that word; others come with `nil`.
private struct Arguments: Sequence, IteratorProtocol {
  private var rest: ArraySlice<Word>

  init(_ words: [Word]) { rest = words[...] }

  /// The options that take the next word as their value, unless the value follows the option in the same word.
  private static let separate: Set<String> = [
    "-o", "-x", "-I", "-L", "-D", "-U", "-l", "-u", "-z", "-e", "-T", "-A", "-B", "-F", "-G",
    "-include",
    "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot", "-imultilib", "-MF", "-MT", "-MQ", "-MJ", "-Xlinker", "-Xassembler",
    "-Xpreprocessor", "-Xclang", "-Xarch_host", "-arch", "-target", "--target", "--param",
    "--sysroot",
    "-mllvm", "-aux-info", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-framework", "-rpath",
    "-install_name", "-soname", "-wrapper", "-specs", "-include-pch", "-h", "--output",
    "-current_version", "-compatibility_version", "-exported_symbols_list", "-undefined",
    "-serialize-diagnostics", "--serialize-diagnostics", "-working-directory", "-ivfsoverlay",
  ]

  mutating func next() -> (word: Word, value: Word?)? {
    guard let word = rest.popFirst() else { return nil }
    let takesNext = Self.separate.contains(String(decoding: word, as: UTF8.self))
    return (word, takesNext ? rest.popFirst() : nil)
  }
}

/// The facts about a call that the words read so far have shown.
private struct Reading {
  var inputs: [Word] = []
  var output: Word?
  /// The value of the last `-fuse-ld=`.
  var linker: Word?
  /// The value of the last `--ld-path=`.
  var linkerPath: Word?
  var language: Word = Array("none".utf8)
  var isQuery = false
  var stopsEarly = false
  var isRelocatable = false
  var optimizesAtLink = false
  var hasBitcode = false
  var hasMap = false
  var hasVersionScript = false
  var targetWords: [Word] = []

  var files: [Word] { inputs + [output].compactMap { $0 } }

  private static let queries: Set<String> = [
    "-E", "-M", "-MM", "-fsyntax-only", "-###", "--help", "--version", "-dumpmachine",
    "-dumpversion",
    "-dumpfullversion", "-dumpspecs", "--analyze", "-cc1", "-cc1as", "-emit-pch", "-emit-ast",
    "-rewrite-objc", "-emit-interface-stubs", "--preprocess",
  ]
  private static let earlyStops: Set<String> = [
    "-c", "-S", "-emit-llvm", "--precompile", "--compile", "--assemble",
  ]
  private static let relocatable: Set<String> = ["-r", "--relocatable", "-i"]

  /// The options for the target whose value is the next word.
  private static let separateTargets: Set<String> = [
    "-B", "-isysroot", "-specs", "-target", "--sysroot", "--target",
  ]
  /// The beginnings of the options for the target that are one word.
  private static let targets = [
    "-B", "-fcf-protection", "-m", "-specs=", "--config=", "--gcc-", "--sysroot=", "--target=",
  ]

  /// Reads an option and the word after it.
  mutating func read(_ option: Word, _ value: Word) {
    let text = String(decoding: option, as: UTF8.self)
    if Self.separateTargets.contains(text) { targetWords += [option, value] }
    switch text {
    case "-o", "--output": output = value
    case "-Xclang":
      if Self.queries.contains(String(decoding: value, as: UTF8.self)) { isQuery = true }
    case "-x": language = value
    case "-Xlinker": readLinkerOption(value[...])
    default: break
    }
  }

  mutating func read(_ word: Word) {
    guard word.first == UInt8(ascii: "-"), word.count > 1 else {
      if !word.isEmpty { inputs.append(word) }
      return
    }
    let text = String(decoding: word, as: UTF8.self)
    if Self.targets.contains(where: text.hasPrefix) { targetWords.append(word) }
    func value(after prefix: String) -> Word? {
      text.hasPrefix(prefix) ? Array(word.dropFirst(prefix.utf8.count)) : nil
    }
    if Self.queries.contains(text) || text.hasPrefix("-print-") || text.hasPrefix("--print-") {
      isQuery = true
    } else if Self.earlyStops.contains(text) {
      stopsEarly = true
    } else if text == "-r" {
      isRelocatable = true
    } else if let options = value(after: "-Wl,") {
      var parts = options.split(separator: UInt8(ascii: ",")).makeIterator()
      while let option = parts.next() {
        if option.elementsEqual("-o".utf8), let path = parts.next() {
          output = Array(path)
        } else {
          readLinkerOption(option)
        }
      }
    } else if let path = value(after: "--ld-path=") {
      linkerPath = path.isEmpty ? nil : path
    } else if let name = value(after: "-fuse-ld=") {
      linker = name.isEmpty ? nil : name
    } else if text == "-fno-lto" {
      optimizesAtLink = false
    } else if text == "-flto" || text.hasPrefix("-flto=") {
      optimizesAtLink = true
    } else if let path = value(after: "--output=") ?? value(after: "-o") {
      output = path
    } else if let name = value(after: "-x") {
      language = name
    }
  }

  private mutating func readLinkerOption(_ option: ArraySlice<UInt8>) {
    let text = String(decoding: option, as: UTF8.self)
    if Self.relocatable.contains(text) { isRelocatable = true }
    if text.hasPrefix("-plugin-opt=") || text.hasPrefix("--plugin-opt=") { hasBitcode = true }
    if text.hasPrefix("-Map") || text.hasPrefix("--Map") { hasMap = true }
    if text.hasPrefix("-version-script") || text.hasPrefix("--version-script") {
      hasVersionScript = true
    }
  }

  /// The file name endings of inputs that are only linked, and of assembly, whose functions the compiler does not
  /// place.
  private static let others: Set<String> = [
    "o", "lo", "a", "so", "la", "obj", "rlib", "dylib", "tbd", "ld", "lds", "s", "S", "sx", "asm",
  ]

  /// Whether an input is a header: the driver then precompiles it.
  var makesHeader: Bool {
    let language = String(decoding: language, as: UTF8.self)
    guard language == "none" else { return language.hasSuffix("-header") }
    return inputs.contains { input in
      [".h", ".hh", ".hpp", ".hxx", ".H", ".h++", ".tcc"].contains {
        input.suffix($0.utf8.count).elementsEqual($0.utf8)
      }
    }
  }

  /// Whether an input is in a language whose functions the compiler places in sections.
  func hasFunctions(_ input: Word) -> Bool {
    switch String(decoding: language, as: UTF8.self) {
    case "none": break
    case "assembler", "assembler-with-cpp": return false
    default: return true
    }
    let name = input.split(separator: UInt8(ascii: "/")).last ?? []
    // `libfoo.so.1.2`
    if String(decoding: name, as: UTF8.self).contains(".so.") { return false }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
    return !Self.others.contains(String(decoding: name[(dot + 1)...], as: UTF8.self))
  }
}

extension CompilerCall {
  /// Returns a call's words without the options that strip all symbols, because recording needs symbols.
  /// Option files (`@FILE`) are not changed.
  static func withoutStripping(_ words: [Word]) -> [Word] {
    func strips(_ option: some Collection<UInt8>) -> Bool {
      ["-s", "-strip-all", "--strip-all"].contains { option.elementsEqual($0.utf8) }
    }
    var kept: [Word] = []
    for (word, value) in Arguments(words) {
      if let value {
        if !word.elementsEqual("-Xlinker".utf8) || !strips(value) { kept += [word, value] }
      } else if word.starts(with: "-Wl,".utf8) {
        let parts = word.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let remaining = parts.filter { !strips($0) }
        if remaining.count == parts.count {
          kept.append(word)
        } else if remaining.count > 1 {
          kept.append(Word(remaining.joined(separator: [UInt8(ascii: ",")])))
        }
      } else if !word.elementsEqual("-s".utf8) {
        kept.append(word)
      }
    }
    return kept
  }
}
