import ByteReading
import CommandSupport

/// libtool's script in the folder of a project: `ltmain.sh`, or `libtool`, which `configure` makes from `ltmain.sh`.
package enum LibtoolScript {
  /// Returns the name of a script that does not pass `-fuse-ld=` on when it links a shared library (libtool before
  /// 2.4.7); `nil` if there is no such script.
  ///
  /// - Parameter folder: the folder of the project or of its build. Its subfolders may have the script, too.
  /// - Complexity: O(*n*) for *n* names in the folder and in its subfolders, and the bytes of the scripts.
  package static func droppingLinker(in folder: String) -> String? {
    let subfolders = Folder.names(in: folder)
    let places = ["libtool", "ltmain.sh"] + subfolders.map { "\($0)/ltmain.sh" }
    return places.first { dropsLinker(fileAt: "\(folder)/\($0)") }
  }

  private static func dropsLinker(fileAt path: String) -> Bool {
    guard let bytes = try? FileBytes(regularFileAt: path), bytes.count < greatestScript else {
      return false
    }
    let lines = bytes.text(0..<bytes.count).split(separator: "\n")
    guard lines.contains(where: { $0.contains("libtool") }) else { return false }
    return !lines.contains { $0.contains("-fuse-ld=*") && !isComment($0) }
  }

  private static func isComment(_ line: Substring) -> Bool {
    line.first { $0 != " " && $0 != "\t" } == "#"
  }

  /// Larger files are not examined. libtool's scripts have about 400 kB.
  private static let greatestScript = 4 << 20

  /// Returns the file to remove so that make links `image` again. For an image in `.libs`, this is a file in the folder above:
  /// a script for a program, a description (`.la`) for a library.
  package static func target(of image: String) -> String {
    var parts = image.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 1, parts[parts.count - 2] == ".libs" else { return image }
    parts.remove(at: parts.count - 2)
    let name = parts[parts.count - 1]
    if let ending = name.firstRange(of: ".so") {
      parts[parts.count - 1] = name[..<ending.lowerBound] + ".la"
    }
    return parts.joined(separator: "/")
  }
}
