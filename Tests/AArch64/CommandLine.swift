/// Replaces Swift's `CommandLine`, which Embedded Swift lacks: a launch gets its command as strings.
enum CommandLine {
  static var argc: Int32 { 0 }
  static var arguments: [String] { [] }
  static var unsafeArgv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    preconditionFailure("there are no arguments")
  }
}
