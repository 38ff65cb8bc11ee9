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
  /// The path of the recorder, `orderfile_rt.o`, if data are ordered, too: they are recorded in another build.
  package var recorder: String?

  package init(
    program: String, orderFile: String, dialect: OrderFileDialect, recorder: String? = nil
  ) {
    self.program = program
    self.orderFile = orderFile
    self.dialect = dialect
    self.recorder = recorder
  }

  /// - Throws: if `LDFLAGS` can't carry the path of the order file or of the recorder, or if data are to be ordered by a
  ///   linker that can't.
  package func text() throws(Diagnostic) -> String {
    let special: Set<Character> = [
      " ", "\t", "\n", "\"", "'", "`", "$", "\\", ",", "#", ";", "&", "|", "<", ">", "(", ")", "*",
      "?", "[", "~",
    ]
    for (path, kind, option) in [
      (orderFile, "an order file", "--order-file"), (recorder ?? "", "the recorder", "--recorder"),
    ] where path.contains(where: special.contains) {
      throw Diagnostic(
        "unsupported path of \(kind): '\(path)'", context: [option],
        hint:
          "LDFLAGS can't carry it: use a path without blanks, commas and characters of the shell")
    }
    guard recorder == nil || dialect.ordersData else {
      throw Diagnostic(
        "unable to order data with \(dialect): expected lld", context: ["--data"],
        hint: "leave out --linker, or --data")
    }
    let trace = shellWord(fileName(ofPath: program) + ".oftrace")
    let linkerOption = dialect == .usual(for: .elf) ? "" : " --linker \(dialect)"
    let flags = "-O2 -g -ffunction-sections" + (recorder == nil ? "" : " -fdata-sections")
    let link = "-fuse-ld=\(dialect.driverName ?? dialect.name) -Wl,--build-id"
    let order = orderFile.hasPrefix("/") ? orderFile : "$PWD/\(orderFile)"
    if let recorder {
      return dataSteps(recorder, flags: flags, link: link, order: order, trace: trace)
    }
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

  private func dataSteps(
    _ recorder: String, flags: String, link: String, order: String, trace: String
  ) -> String {
    let program = shellWord(program)
    let recorded = shellWord(self.program + "-record")
    let record =
      "\(flags) -fsanitize-coverage=func,trace-pc-guard,pc-table,trace-loads,trace-stores"
    let compilers = "CC=clang CXX=clang++"
    return """
      # A build that records itself, also the data that its C and C++ code touches: only clang can do that.
      # Without a configure script, give make these variables.
      ./configure \(compilers) CFLAGS='\(record)' CXXFLAGS='\(record)' LDFLAGS='\(link) \(recorder)'
      make clean
      make
      # Moved, because the release takes its place. libtool's script is left behind: name the program in .libs.
      mv \(program) \(recorded)
      # A launch as users start the program: add its arguments.
      orderfile record -o \(trace) -- \(recorded)
      # The release. Each function and each variable gets a section, and the image an ID.
      ./configure \(compilers) CFLAGS='\(flags)' CXXFLAGS='\(flags)' LDFLAGS='\(link)'
      make clean
      make
      orderfile gen \(trace) --image \(program) -o \(shellWord(orderFile))
      # make does not notice that the order file has changed.
      rm \(program)
      make LDFLAGS="\(link) \(dialect.linkOption ?? "")\(order)"

      """
  }
}
