/// Embedded Swift has no arguments of its own: a launch gets its command as strings.
enum CommandLine {
  static var argc: Int32 { 0 }
  static var arguments: [String] { [] }
  static var unsafeArgv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    preconditionFailure("there are no arguments")
  }
}
