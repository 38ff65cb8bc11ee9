import CommandSupport
import ImageModel
import LibC
import ProcessLaunch

/// The browser that the user's desktop opens.
package struct Browser {
  private let environment: LaunchEnvironment
  private let opener = isDarwin ? "open" : "xdg-open"

  /// - Throws: an error if the system has no command that opens a browser.
  package init(in environment: LaunchEnvironment) throws(Diagnostic) {
    self.environment = environment
    guard environment.has(opener) else {
      throw Diagnostic(
        "unable to open a browser: expected the command '\(opener)', found none in PATH",
        context: ["--open"], hint: "leave out --open, and open the page in a browser")
    }
  }

  /// Opens the file at a path, or an address. Does not wait for the command, because without a desktop it ends only with
  /// the browser.
  package func open(_ place: String) throws {
    let script = "setsid=$(command -v setsid); $setsid \"$@\" </dev/null >/dev/null 2>&1 &"
    // A path that begins with a dash would be an option.
    let place = place.hasPrefix("-") ? "./\(place)" : place
    _ = try CapturedCommand(environment).output(of: ["sh", "-c", script, "sh", opener, place])
  }
}
