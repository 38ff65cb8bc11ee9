/// How a page was touched. Raw values are the words of reports.
package enum Access: String, CaseIterable, Sendable {
  case execute, read, write
  /// By the kernel, in a system call.
  case kernel
}
