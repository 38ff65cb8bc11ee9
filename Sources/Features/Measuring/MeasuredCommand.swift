import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch
import Symbolication

/// The argument of `--before` or `--after` of `measure`: an image, or a command.
package struct MeasuredCommand {
  /// The path with which the program is launched.
  package let path: String
  /// The program's name and its arguments.
  package let arguments: [String]
  /// The absolute path of the program without symbolic links; for a libtool wrapper, the path of its program.
  package let image: String
  /// The name and identity of the file at `path`.
  package let reference: ImageReference
  /// The identity of the file at `path`, taken before the file was read for `reference`.
  let file: FileIdentity?
  /// Whether the file is an image, and not a script.
  package let isImage: Bool
  private let isWrapper: Bool

  /// - Parameters:
  ///   - text: the path of a file, or else a command line of words.
  ///   - arguments: arguments to append to those in `text`.
  ///   - option: the name of the option, for messages.
  package init(
    _ text: String, _ arguments: [String], option: String, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    if Self.isFile(text) {
      try self.init(
        path: text.contains("/") ? text : "./\(text)", [text] + arguments, option: option)
      return
    }
    let words: [String]
    do { words = try ShellWords.split(text) } catch {
      throw Diagnostic(error.message, context: [option] + error.context, hint: error.hint)
    }
    guard !words.isEmpty else { throw Diagnostic("missing the program", context: [option, text]) }
    try self.init(words: words + arguments, option: option, in: environment)
  }

  /// - Parameter words: the program, looked up in `PATH`, and its arguments.
  package init(
    words: [String], option: String, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    let path: String
    do { path = try environment.program(named: words[0]) } catch {
      throw Diagnostic(error.message, context: [option] + error.context, hint: error.hint)
    }
    try self.init(path: path, words, option: option)
  }

  private init(path: String, _ arguments: [String], option: String) throws(Diagnostic) {
    self.path = path
    self.arguments = arguments
    guard access(path, X_OK) == 0 else {
      throw Diagnostic("unable to run: \(errorText())", context: [option, path])
    }
    file = FileIdentity(of: path)
    let wrapper = LibtoolWrapper(at: path)
    isWrapper = wrapper != nil
    image = try Folder.absolutePath(wrapper?.program ?? path)
    if let bytes = try? InputFile.bytes(path) {
      reference = ImageReference(path: path, bytes)
      isImage = FileKind(of: bytes).isObjectFile
    } else {
      reference = ImageReference(path: path)
      isImage = false
    }
  }

  /// Returns warnings about programs that are not themselves images; one warning if both programs are the same.
  package static func warnings(_ first: MeasuredCommand, _ second: MeasuredCommand) -> [Diagnostic]
  {
    let warnings = [first.warning, second.warning].compactMap { $0 }
    return Array(warnings.prefix(first.path == second.path ? 1 : 2))
  }

  /// A warning if the program is not itself an image.
  package var warning: Diagnostic? {
    guard !isWrapper else {
      return Diagnostic(
        "this is a libtool wrapper: \(image) is evicted and examined, but the time includes the shell that runs it",
        context: [path],
        hint: "measure the program itself with LD_LIBRARY_PATH set, or measure an installed program"
      )
    }
    guard !isImage, access(path, R_OK) == 0 else { return nil }
    return Diagnostic(
      "this is a script: the program that it runs is measured, but neither evicted nor examined",
      context: [path], hint: "name the image with --also")
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
