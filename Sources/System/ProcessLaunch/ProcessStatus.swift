import LibC

/// The fields of `/proc/PID/status`. <proc_pid_status(5)>
package struct ProcessStatus: Sendable {
  private let lines: [[Substring]]

  /// - Parameter pid: the number of a process or thread.
  /// - Returns: `nil` if there is no such process or thread, or on a system without this file.
  package init?(of pid: pid_t) {
    let text = SystemFile.text(of: "/proc/\(pid)/status")
    if text.isEmpty { return nil }
    self.init(String(decoding: text, as: UTF8.self))
  }

  /// - Parameter text: the contents of the file.
  package init(_ text: String) {
    lines = text.split(separator: "\n").map {
      $0.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " })
    }
  }

  /// The first word of a field's value; `nil` if there is no such field, or no value.
  package subscript(field: String) -> String? {
    words(of: field).first.map { String($0) }
  }

  /// The words of a field's value; empty if there is no such field.
  func words(of field: String) -> [Substring] {
    Array(lines.first { $0.count > 1 && $0[0] == field }?.dropFirst() ?? [])
  }
}
