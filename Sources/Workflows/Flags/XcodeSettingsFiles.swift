import ImageModel
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The settings files by which Xcode records and orders: `orderfile flags xcode`.
package struct XcodeSettingsFiles {
  /// Where both go.
  package var folder: String
  /// Where the order file will be; `nil` for a place in the folder.
  package var orderFile: String?
  /// The folder that holds the recorder for each platform.
  package var runtime: String

  package init(folder: String, orderFile: String? = nil, runtime: String) {
    self.folder = folder
    self.orderFile = orderFile
    self.runtime = runtime
  }

  /// Writes both, and an empty order file unless there is one: the linker wants it to be there.
  ///
  /// - Returns: what to do next, and what a user should know.
  /// - Throws: if a file can't be written, and if a settings file can't say a path.
  package func write() throws(Diagnostic) -> (steps: String, warnings: [Diagnostic]) {
    try check(folder)
    try Folder.make(folder)
    let folder = try Folder.absolutePath(folder)
    let settings = XcodeSettings(
      folder: folder, runtime: try absolutePath(runtime),
      orderFile: try orderFile.map(absolutePath) ?? "\(folder)/app.order")
    for path in [folder, settings.runtime, settings.orderFile] { try check(path) }
    for (name, text) in [
      (XcodeSettings.recordName, settings.record), (XcodeSettings.orderName, settings.order),
    ] {
      try OutputFile("\(folder)/\(name)").finish(Array(text.utf8))
    }
    if access(settings.orderFile, F_OK) != 0 { try OutputFile(settings.orderFile).finish([]) }
    return (settings.steps, missingRecorder(settings))
  }

  private func missingRecorder(_ settings: XcodeSettings) -> [Diagnostic] {
    let recorder = "\(settings.runtime)/iphoneos/orderfile_rt.o"
    guard access(recorder, F_OK) != 0 else { return [] }
    return [
      Diagnostic(
        "missing the recorder for iOS: \(String(cString: strerror(errno)))", context: [recorder],
        hint: "run 'make runtime-darwin', and give its folder with --runtime")
    ]
  }

  private func check(_ path: String) throws(Diagnostic) {
    guard !XcodeSettings.canSay(path) else { return }
    throw Diagnostic(
      "invalid path: expected no '$', quote, '//' or line feed, which are special in an .xcconfig",
      context: [path])
  }

  /// From the current folder, if it is relative; it need not be there.
  private func absolutePath(_ path: String) throws(Diagnostic) -> String {
    path.hasPrefix("/") ? path : "\(try Folder.absolutePath("."))/\(path)"
  }
}
