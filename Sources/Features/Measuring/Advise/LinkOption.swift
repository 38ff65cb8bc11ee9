/// An option for compilers and linkers that may remove pages which a launch reads or writes.
struct LinkOption: Hashable {
  /// The name of the option in reports.
  var name: String
  /// The arguments that `ORDERFILE_LDFLAGS` gives the compiler when it links.
  var linking: [String] = []
  /// The arguments that `ORDERFILE_CFLAGS` gives the compiler when it compiles.
  var compiling: [String] = []
  /// The effect of the option on the image.
  var effect: String
  /// What the option needs from linkers and systems; `nil` if all current ones support it.
  var needs: String?
  /// What no longer works, or is no longer protected, with the option; `nil` if the program behaves as before.
  var givesUp: String?
  var kind: Kind = .any

  /// The images that the option can change.
  enum Kind {
    case any, programs, libraries
  }
}

extension LinkOption {
  static let packedRelocations = "packed relocations"
  static let fixedAddress = "fixed address"

  /// All options that `advise` knows. Options that keep the program's behaviour come first.
  static let all: [LinkOption] = [
    LinkOption(
      name: packedRelocations, linking: ["-Wl,-z,pack-relative-relocs"],
      effect: "relative relocations become bitmaps (.relr.dyn)",
      needs: "glibc 2.36 or musl 1.2.4 on the user's machine"),
    LinkOption(
      name: "GNU hash table", linking: ["-Wl,--hash-style=gnu"],
      effect: "the table of System V (.hash) is left out"),
    LinkOption(
      name: "merged strings", linking: ["-Wl,-O2"],
      effect: "strings that end alike share their bytes"),
    LinkOption(
      name: "no unused sections", linking: ["-Wl,--gc-sections"],
      effect: "functions and variables that nothing refers to are left out"),
    LinkOption(
      name: "folded functions", linking: ["-Wl,--icf=safe"],
      effect: "equal functions whose addresses are not compared are merged into one",
      needs: "lld or gold"),
    LinkOption(
      name: "eager binding", linking: ["-Wl,-z,now"],
      effect: "functions are looked up when the image is loaded, and .got.plt joins .got"),
    LinkOption(
      name: "separate segments", linking: ["-Wl,-z,separate-loadable-segments"],
      effect: "no page of the file has parts of two segments", needs: "lld"),
    LinkOption(
      name: "separate code", linking: ["-Wl,-z,separate-code"],
      effect: "no page of the file has both code and constants"),
    LinkOption(
      name: "sections for each variable", linking: ["-Wl,--gc-sections"],
      compiling: ["-ffunction-sections", "-fdata-sections"],
      effect: "unused functions and variables can be left out one by one"),
    LinkOption(
      name: "no linkage table", linking: ["-Wl,-z,now"], compiling: ["-fno-plt"],
      effect: "calls of libraries load the address from .got"),

    LinkOption(
      name: "no exported functions", linking: ["-Wl,--no-export-dynamic"],
      effect:
        "only functions that libraries refer to stay in .dynsym; --dynamic-list=FILE exports more",
      givesUp: "modules that look up symbols of the program, and names in backtrace_symbols(3)",
      kind: .programs),
    LinkOption(
      name: fixedAddress, linking: ["-no-pie"],
      effect: "addresses are known when the image is linked, so that nothing is relocated",
      givesUp: "loading at a random address, a protection against attacks", kind: .programs),
    LinkOption(
      name: "lazy binding", linking: ["-Wl,-z,lazy"],
      effect: "functions are looked up at their first call",
      givesUp: "a .got that attackers can't write"),
    LinkOption(
      name: "no read-only relocations", linking: ["-Wl,-z,norelro"],
      effect: "relocated constants need no pages of their own",
      givesUp: "constants with addresses that attackers can't write"),
    LinkOption(
      name: "constants beside code", linking: ["-Wl,-z,noseparate-code"],
      effect: "headers, constants and code share pages",
      givesUp: "constants that can't be executed"),
    LinkOption(
      name: "constants in the code's segment", linking: ["-Wl,--no-rosegment"],
      effect: "constants and code share a segment", needs: "lld or gold",
      givesUp: "constants that can't be executed"),
    LinkOption(
      name: "own functions first", linking: ["-Wl,-Bsymbolic-functions"],
      effect: "calls of the library's own functions are not looked up",
      givesUp: "programs and preloaded libraries that replace the library's functions",
      kind: .libraries),
    LinkOption(
      name: "own symbols first", linking: ["-Wl,-Bsymbolic"],
      effect: "the library's own symbols are not looked up",
      givesUp: "programs and preloaded libraries that replace the library's functions or variables",
      kind: .libraries),
    LinkOption(
      name: "no unwind tables", compiling: ["-fno-asynchronous-unwind-tables"],
      effect: ".eh_frame has only functions that exceptions pass",
      givesUp: "backtraces and profiles of other functions, cancellation of threads in them"),
  ]
}
