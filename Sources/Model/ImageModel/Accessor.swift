/// Who touched a page. Raw values appear in reports.
package enum Accessor: String, CaseIterable, Sendable {
  /// The loader accessed the page to read relocations, or to write addresses that the image refers to.
  case relocation
  /// The loader accessed the page to find a symbol in the image's tables.
  case lookUp = "look-up"
  /// The loader accessed the page for another purpose: the dynamic section, tables of versions, notes, lists of
  /// initializers.
  case loader
  /// The kernel accessed the page when it started the program, or in a system call.
  case kernel
  /// An instruction of the program or of a library accessed the page.
  case program
}
