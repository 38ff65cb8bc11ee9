import CProcess
import LibC

/// The sign by which a launched program is known to be ready: `--until-ready`. The launch is over then.
package enum Readiness: Hashable, Sendable {
  /// The program is ready when a process listens on this TCP port.
  case port(UInt16)
  /// The program is ready when this text is in its standard output or standard error.
  case output(String)
  /// The program is ready when it calls `orderfile_mark` with this name.
  case mark(String)
  /// The program is ready when the script of the launch has reached `ready`.
  case script

  /// Parses `port=8080`, `line=TEXT` or `mark=NAME`; `nil` for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, parts[1].utf8.count < 256 else { return nil }
    switch parts[0] {
    case "port":
      guard let port = UInt16(parts[1]), port > 0 else { return nil }
      self = .port(port)
    case "line" where !parts[1].contains("\n"): self = .output(String(parts[1]))
    case "mark": self = .mark(String(parts[1]))
    default: return nil
    }
  }

  /// The sign as an option states it; `nil` for the sign of a script.
  package var option: String? {
    switch self {
    case .port(let port): "port=\(port)"
    case .output(let text): "line=\(text)"
    case .mark(let name): "mark=\(name)"
    case .script: nil
    }
  }

  /// The name of the mark; `nil` for other signs.
  package var mark: String? { if case .mark(let name) = self { name } else { nil } }

  /// Whether the sign is there before any program was launched, so that it can't show whether a program is ready.
  package var isThereAlready: Bool {
    if case .port(let port) = self { cprocess_port_listens(0, port) } else { false }
  }
}

extension Readiness: CustomStringConvertible {
  /// The sign in the words of a message: "expected a listener on port 8080".
  package var description: String {
    switch self {
    case .port(let port): "a listener on port \(port)"
    case .output(let text): "'\(text)' in its output"
    case .mark(let name): "the mark '\(name)'"
    case .script: "'ready' of the script"
    }
  }
}

/// Watches one launched program for its sign.
package final class ReadinessProbe {
  private let readiness: Readiness
  private let isMarked: () -> Bool
  private let isScriptReady: () -> Bool
  /// The pipes for the program's output, which are closed unless a text is awaited.
  private var taps = cprocess_taps()

  /// - Parameters:
  ///   - isMarked: whether the program has set the mark.
  ///   - isScriptReady: whether the script has reached `ready`.
  package init(
    _ readiness: Readiness, isMarked: @escaping () -> Bool = { false },
    isScriptReady: @escaping () -> Bool = { false }
  ) {
    self.readiness = readiness
    self.isMarked = isMarked
    self.isScriptReady = isScriptReady
    taps.output.read_end = -1
    taps.errors.read_end = -1
  }

  deinit { cprocess_taps_close(&taps) }

  /// Calls `body`, which starts the program with the given streams: `streams`, with pipes for the program's output if a
  /// text is awaited.
  func starting<R>(
    _ streams: cprocess_streams,
    _ body: (cprocess_streams) throws(ProgramLaunch.LaunchError) -> R
  ) throws(ProgramLaunch.LaunchError) -> R {
    guard case .output(let text) = readiness else { return try body(streams) }
    var piped = streams
    let error = cprocess_taps_open(&taps, text, &piped)
    guard error == 0 else { throw ProgramLaunch.LaunchError(errno: error) }
    defer {
      close(piped.descriptors.1)
      close(piped.descriptors.2)
    }
    return try body(piped)
  }

  /// Returns the pipe for the output of a program that is started without `starting`; the caller closes it. `nil` if no
  /// text is awaited.
  ///
  /// - Parameter isShown: whether this process's standard error gets the output.
  package func outputPipe(isShown: Bool) throws(ProgramLaunch.LaunchError) -> Int32? {
    guard case .output(let text) = readiness else { return nil }
    var end: Int32 = -1
    let error = cprocess_tap_open(&taps.output, text, isShown ? 2 : -1, &end)
    guard error == 0 else { throw ProgramLaunch.LaunchError(errno: error) }
    return end
  }

  /// Returns whether the program is ready. Also passes on the output that comes through pipes, so call it until the
  /// program has ended, and once more.
  package func look(at pid: pid_t) -> Bool {
    switch readiness {
    case .port(let port): cprocess_port_listens(pid, port)
    case .output: cprocess_taps_read(&taps)
    case .mark: isMarked()
    case .script: isScriptReady()
    }
  }
}
