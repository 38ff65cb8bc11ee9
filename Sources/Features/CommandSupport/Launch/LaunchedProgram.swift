import ByteReading
import ImageModel
import ProcessLaunch
import Symbolication

/// The program that a command line launches.
package struct LaunchedProgram {
  /// The path of the program, without symbolic links.
  package let path: String
  /// The path of the image that runs in the end, without symbolic links: the interpreter for a script.
  package let executable: String
  /// The pages of the image that runs in the end, which is the interpreter for a script; `nil` if the image is not an
  /// ELF image, or if `obstacle` is set.
  package let pages: ImagePages?
  /// Why no method can see the program's pages; `nil` if a method can.
  package let obstacle: ParseError?
  /// The rights that the program gains from its file; `nil` if it gains none. A program that gains rights ignores `LD_PRELOAD`.
  package let rights: FileRights?

  /// - Throws: if `environment` leads to no program of that name.
  package init(named name: String, in environment: LaunchEnvironment) throws(Diagnostic) {
    path = try Folder.absolutePath(environment.program(named: name))
    var bytes = try? FileBytes(path: path)
    var executable = path
    // The kernel follows at most as many scripts whose interpreters are scripts. <execve(2)>
    for _ in 0..<5 {
      guard let interpreter = bytes.flatMap(Self.interpreter) else { break }
      bytes = try? FileBytes(path: interpreter)
      executable = (try? Folder.absolutePath(interpreter)) ?? interpreter
    }
    self.executable = executable
    rights = FileRights(ofFileAt: executable)?.gained
    guard let bytes, bytes.hasPrefix("\u{7f}ELF", at: 0) else {
      (pages, obstacle) = (nil, nil)
      return
    }
    do throws(ParseError) {
      pages = try ImagePages(of: bytes)
      obstacle = nil
    } catch {
      pages = nil
      obstacle = error
    }
  }

  /// - Throws: an error if the program would behave differently under a tracer.
  package func checkTraceable(in environment: LaunchEnvironment) throws(Diagnostic) {
    if let rights, rights.areWithheldFromTraced {
      throw Diagnostic.rightsWithheld(from: executable, rights)
    }
    if pages?.hasLeakSanitizer ?? false, environment.looksForLeaks {
      throw Diagnostic.looksForLeaks(path)
    }
  }

  /// Returns the path of the interpreter, which follows `#!` in the script.
  private static func interpreter(of script: FileBytes) -> String? {
    guard script.hasPrefix("#!", at: 0) else { return nil }
    let line = script.copy(2..<min(script.count, 256)).prefix { $0 != UInt8(ascii: "\n") }
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return words.first.map { String(decoding: $0, as: UTF8.self) }
  }
}
