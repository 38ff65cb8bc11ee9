/// Who touched a page. Raw values appear in reports.
package enum Accessor: String, CaseIterable, Sendable {
  /// The loader, to read the relocations or to write the addresses that the image refers to.
  case relocation
  /// The loader, to find a symbol in the image's tables.
  case lookUp = "look-up"
  /// The loader, for anything else: the dynamic section, tables of versions, notes, lists of initializers.
  case loader
  /// The kernel, when it starts the program, or in a system call.
  case kernel
  /// An instruction of the program or of a library.
  case program
}
