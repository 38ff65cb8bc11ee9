/// The kind of access that touched a page. Raw values appear in reports.
package enum Access: String, CaseIterable, Sendable {
  case execute, read, write
  /// By the kernel, in a system call.
  case kernel
}
