import Foundation
import PackagePlugin

/// `swift package orderfile`: runs `orderfile auto` for the package, with the command that is installed.
///
/// Writes everything to the plugin's own folder, below `.build`, so that no permission is needed. `--output` names
/// another folder.
@main struct OrderFilePlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let command = ProcessInfo.processInfo.environment["ORDERFILE"] ?? "orderfile"
    let auto = Process()
    auto.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    auto.currentDirectoryURL = context.package.directoryURL
    auto.arguments = [command, "auto"]
    if !Self.names("--output", in: arguments), !Self.names("-o", in: arguments) {
      auto.arguments? += ["--output", context.pluginWorkDirectoryURL.appending(path: "auto").path]
    }
    if !Self.names("--build-system", in: arguments), !arguments.contains("--") {
      auto.arguments? += ["--build-system", "swiftpm"]
    }
    auto.arguments? += arguments
    try auto.run()
    auto.waitUntilExit()
    switch auto.terminationStatus {
    case 0: break
    case 127:
      Diagnostics.error(
        "unable to run '\(command)': install it (docs/start/INSTALL.md), or set ORDERFILE to its path"
      )
    case let status: Diagnostics.error("orderfile auto ended with exit status \(status)")
    }
  }

  /// Whether `option` is among the arguments before `--`.
  private static func names(_ option: String, in arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains { $0 == option || $0.hasPrefix("\(option)=") }
  }
}
