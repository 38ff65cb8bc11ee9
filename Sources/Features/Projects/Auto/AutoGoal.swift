import ImageModel

/// What `auto` orders: functions, unless the user gives one of the options `--split` and `--data`.
package enum AutoGoal: String, Hashable, Sendable {
  /// Functions, each as a whole.
  case functions
  /// Functions that are split: the blocks that ran are placed together.
  case split
  /// Functions and data.
  case data

  /// - Throws: `usage` if both options are given.
  package init(split: Bool, data: Bool) throws(Diagnostic) {
    guard !split || !data else {
      throw Diagnostic(
        "--data and --split can't be used together: no method of recording sees both data and basic blocks",
        severity: .usage)
    }
    self = split ? .split : data ? .data : .functions
  }

  /// Returns why projects of this build system can't be ordered for the goal; `nil` if they can.
  package func refusal(of system: BuildSystem) -> Diagnostic? {
    guard !system.toolchain.compilesC else { return nil }
    switch self {
    case .functions, .split: return nil
    case .data:
      return Diagnostic(
        "unable to order data: expected a project of C or C++, found \(system.name)",
        context: ["--data"],
        hint: "rustc and swiftc report no loads and stores; 'orderfile pages' and 'gen' order data "
          + "of any program: docs/how-to/DATA.md", severity: .usage)
    }
  }

  /// Returns why launches can't be recorded by `method` for the goal; `nil` if they can.
  package func refusal(of method: AutoDocument.RecordingMethod) -> RecordingMethods.Refusal? {
    switch (self, method) {
    case (.split, .instrument):
      RecordingMethods.Refusal("this method sees no basic blocks, which --split needs")
    case (.data, .breakpoints), (.data, .qemu):
      RecordingMethods.Refusal("this method sees no loads and stores, which --data needs")
    case (.functions, _), (.split, _), (.data, _): nil
    }
  }
}
