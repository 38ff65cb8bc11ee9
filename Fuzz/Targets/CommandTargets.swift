import ByteReading
import Foundation
import ImageModel
import OrderFileCommands
import Symbolication

extension FuzzTarget {
  /// Trace and image -> resolve -> order -> report together, by the commands themselves.
  static let commands = [FuzzTarget("commands", runCommands)]

  /// The input is four bytes with the length of a trace, the lowest byte first, then the trace, then an image.
  private static func runCommands(_ bytes: FileBytes) throws {
    var input = ByteCursor(bytes)
    let length = UInt64(try input.read(UInt32.self, "length"))
    let trace = try input.readRange(min(length, input.remaining), "trace")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "orderfile-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let files = (
      trace: folder.path + "/trace", image: folder.path + "/image", pages: folder.path + "/pages",
      profile: folder.path + "/profile"
    )
    try Data(bytes.copy(trace.indices)).write(to: URL(fileURLWithPath: files.trace))
    try Data(bytes.copy((input.position..<input.end).indices)).write(
      to: URL(fileURLWithPath: files.image))
    try Data(measuredPages(of: files.image).utf8).write(to: URL(fileURLWithPath: files.pages))
    for words in [
      ["show", files.trace, "--recorded", files.image, "--demangle", "short"],
      ["show", files.trace, "--json"],
      ["gen", files.trace, "--image", files.image], ["gen", files.trace, files.trace],
      ["gen", files.trace, "--image", files.image, "--split-profile", files.profile],
      [
        "gen", files.trace, "--image", files.image, "--split-profile", files.profile, "--splitter",
        "bolt",
      ],
      ["diff", files.image, files.image, "--trace", files.trace],
      ["diff", files.image, files.image, "--trace", files.trace, "--pages-before", files.pages],
    ] {
      if var command = try? OrderFileCommand.parseAsRoot(words + ["--quiet", "-o", "/dev/null"]) {
        try? command.run()
      }
    }
  }

  /// A document that `orderfile pages` might write for the image, with one page.
  private static func measuredPages(of path: String) -> String {
    let id = (try? Image.reading(path: path))?.image.id
    let digits = (id?.bytes ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return """
      {"schema":"orderfile.pages/1","command":["a"],"method":"ptrace","exitStatus":0,"images":[{"id":\
      "\(digits)","path":"/image","pages":[{"access":"execute","address":"0x1000",\
      "segment":"text","step":1}]}]}
      """
  }
}
