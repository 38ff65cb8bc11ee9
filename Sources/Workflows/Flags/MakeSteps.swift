import ImageModel
import OrderFileFormat
import Reporting

/// The commands that record and order a program that is built with make, as a shell script: `orderfile flags make`.
package struct MakeSteps {
  /// The path of the linked program.
  package var program: String
  package var orderFile: String
  /// That of a linker for ELF.
  package var dialect: OrderFileDialect

  package init(program: String, orderFile: String, dialect: OrderFileDialect) {
    self.program = program
    self.orderFile = orderFile
    self.dialect = dialect
  }

  /// - Throws: if `LDFLAGS` can't carry the path of the order file.
  package func text() throws(Diagnostic) -> String {
    let special: Set<Character> = [
      " ", "\t", "\n", "\"", "'", "`", "$", "\\", ",", "#", ";", "&", "|", "<", ">", "(", ")", "*",
      "?", "[", "~",
    ]
    guard !orderFile.contains(where: special.contains) else {
      throw Diagnostic(
        "unsupported path of an order file: '\(orderFile)'", context: ["--order-file"],
        hint:
          "LDFLAGS can't carry it: use a path without blanks, commas and characters of the shell")
    }
    let trace = shellWord(fileName(ofPath: program) + ".oftrace")
    let linkerOption = dialect == .usual(for: .elf) ? "" : " --linker \(dialect)"
    let flags = "-O2 -g -ffunction-sections"
    let link = "-fuse-ld=\(dialect.driverName ?? dialect.name) -Wl,--build-id"
    let order = orderFile.hasPrefix("/") ? orderFile : "$PWD/\(orderFile)"
    return """
      # Each function gets a section, and the image an ID. Without a configure script, give make these variables.
      ./configure CFLAGS='\(flags)' CXXFLAGS='\(flags)' LDFLAGS='\(link)'
      make
      # A launch as users start the program: add its arguments.
      orderfile record --breakpoints -o \(trace) -- \(shellWord(program))
      orderfile gen \(trace)\(linkerOption) -o \(shellWord(orderFile))
      # make does not notice that the order file has changed.
      rm \(shellWord(program))
      make LDFLAGS="\(link) \(dialect.linkOption ?? "")\(order)"

      """
  }
}
