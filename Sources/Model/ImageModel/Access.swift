/// The kind of access that touched a page. Raw values appear in reports.
package enum Access: String, CaseIterable, Sendable {
  case execute, read, write
  /// The kernel accessed the page in a system call.
  case kernel
}
