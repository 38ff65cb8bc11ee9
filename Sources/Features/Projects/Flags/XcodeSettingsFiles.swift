import CommandSupport
import ImageModel
import LibC

/// The Xcode settings files for recording and for ordering: `orderfile init --print xcode`.
package struct XcodeSettingsFiles {
  /// The folder for both files.
  package var folder: String
  /// The path of the order file; `nil` for `app.order` in the folder.
  package var orderFile: String?
  /// The folder that holds the recorder for each platform.
  package var runtime: String
  /// Whether C, C++ and Objective-C code also records the data that it touches.
  package var recordsData: Bool

  package init(
    folder: String, orderFile: String? = nil, runtime: String, recordsData: Bool = false
  ) {
    self.folder = folder
    self.orderFile = orderFile
    self.runtime = runtime
    self.recordsData = recordsData
  }

  /// Writes both files, and an empty order file unless one exists: the linker fails without it.
  ///
  /// - Returns: the next steps, and warnings.
  /// - Throws: if a file can't be written, or if a settings file can't contain one of the paths.
  package func write() throws(Diagnostic) -> (steps: String, warnings: [Diagnostic]) {
    try check(folder)
    try Folder.make(folder)
    let folder = try Folder.absolutePath(folder)
    let settings = XcodeSettings(
      folder: folder, runtime: try absolutePath(runtime),
      orderFile: try orderFile.map(absolutePath) ?? "\(folder)/app.order", recordsData: recordsData)
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
        "missing the recorder for iOS: \(errorText())", context: [recorder],
        hint: "run 'make runtime-darwin', and give its folder with --recorder")
    ]
  }

  private func check(_ path: String) throws(Diagnostic) {
    guard !XcodeSettings.canSay(path) else { return }
    throw Diagnostic(
      "invalid path: expected no '$', quote, '//' or line feed, which are special in an .xcconfig",
      context: [path])
  }

  /// Makes `path` absolute; the file need not exist.
  private func absolutePath(_ path: String) throws(Diagnostic) -> String {
    path.hasPrefix("/") ? path : "\(try Folder.absolutePath("."))/\(path)"
  }
}
