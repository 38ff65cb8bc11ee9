import CommandSupport
import ImageModel
import OrderFileFormat
import Rendering

/// The commands that record and order a program that is built with make, as a shell script: `orderfile init --print make`.
package struct MakeSteps {
  /// The path of the linked program.
  package var program: String
  package var orderFile: String
  /// The dialect of a linker for ELF images.
  package var dialect: OrderFileDialect
  /// The path of the recorder, `orderfile_rt.o`, if data are ordered, too: another build records them. Otherwise `nil`.
  package var recorder: String?
  /// The libtool script that does not pass the choice of the linker on when it links a library; `nil` if there is no
  /// such script.
  package var libtool: String?

  package init(
    program: String, orderFile: String, dialect: OrderFileDialect, recorder: String? = nil,
    libtool: String? = nil
  ) {
    self.program = program
    self.orderFile = orderFile
    self.dialect = dialect
    self.recorder = recorder
    self.libtool = libtool
  }

  /// - Throws: if `LDFLAGS` can't carry the path of the order file or of the recorder, or if data are to be ordered and
  ///   the linker can't order data.
  package func text() throws(Diagnostic) -> String {
    let special: Set<Character> = [
      " ", "\t", "\n", "\"", "'", "`", "$", "\\", ",", "#", ";", "&", "|", "<", ">", "(", ")", "*",
      "?", "[", "~",
    ]
    for (path, kind, option) in [
      (orderFile, "an order file", "--order"), (recorder ?? "", "the recorder", "--recorder"),
    ] where path.contains(where: special.contains) {
      throw Diagnostic(
        "unsupported path of \(kind): '\(path)'", context: [option],
        hint:
          "LDFLAGS can't contain this path: use a path without blanks, commas and characters that are special in the shell"
      )
    }
    guard recorder == nil || dialect.ordersData else {
      throw Diagnostic(
        "unable to order data with \(dialect): expected lld", context: ["--data"],
        hint: "leave out --linker, or --data")
    }
    let trace = shellWord(fileName(ofPath: program) + ".oftrace")
    let linkerOption = dialect == .usual(for: .elf) ? "" : " --linker \(dialect)"
    let flags = "-O2 -g -ffunction-sections" + (recorder == nil ? "" : " -fdata-sections")
    let linker = "-fuse-ld=\(dialect.driverName ?? dialect.name)"
    let link = "\(linker) -Wl,--build-id"
    let order = orderFile.hasPrefix("/") ? orderFile : "$PWD/\(orderFile)"
    if let recorder {
      let compilers =
        libtool == nil
        ? "CC=clang CXX=clang++" : "CC='clang \(linker)' CXX='clang++ \(linker)'"
      return dataSteps(
        recorder, compilers: compilers, flags: flags, link: link, order: order, trace: trace)
    }
    let compilers =
      libtool == nil ? "" : "CC=\"${CC:-cc} \(linker)\" CXX=\"${CXX:-c++} \(linker)\" "
    return """
      \(libtoolNote)# Each function gets a section, and the image an ID. Without a configure script, give make these variables.
      ./configure \(compilers)CFLAGS='\(flags)' CXXFLAGS='\(flags)' LDFLAGS='\(link)'
      make
      \(launch(trace))
      orderfile gen \(trace)\(isLibrary ? " --image \(shellWord(program))" : "")\(linkerOption) -o \(shellWord(orderFile))
      # make does not notice that the order file has changed.
      rm \(shellWord(LibtoolScript.target(of: program)))
      make LDFLAGS="\(link) \(dialect.linkOption ?? "")\(order)"

      """
  }

  private var isLibrary: Bool { fileName(ofPath: program).contains(".so") }

  /// The command that records a launch.
  private func launch(_ trace: String) -> String {
    isLibrary
      ? """
      # A launch of a program that uses the library: name it, and add its arguments.
      orderfile record --breakpoints --also \(shellWord(program)) -o \(trace) -- PROGRAM
      """
      : """
      # A launch as users start the program: add its arguments.
      orderfile record --breakpoints -o \(trace) -- \(shellWord(program))
      """
  }

  private var libtoolNote: String {
    libtool.map {
      "# \($0) is older than libtool 2.4.7: it drops -fuse-ld when it links a library, so the compilers get it, too.\n"
    } ?? ""
  }

  private func dataSteps(
    _ recorder: String, compilers: String, flags: String, link: String, order: String,
    trace: String
  ) -> String {
    let target = shellWord(LibtoolScript.target(of: program))
    let program = shellWord(program)
    let recorded = shellWord(self.program + "-record")
    let record =
      "\(flags) -fsanitize-coverage=func,trace-pc-guard,pc-table,trace-loads,trace-stores"
    return """
      \(libtoolNote)# A build that records itself, also the data that its C and C++ code touches: only clang can do that.
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
      rm \(target)
      make LDFLAGS="\(link) \(dialect.linkOption ?? "")\(order)"

      """
  }
}
