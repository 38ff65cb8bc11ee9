import Testing

/// The output of objdump about the functions of an object file: which functions they call, and to which symbols they
/// refer.
struct MachineCode {
  struct Function {
    var calls: Set<String> = []
    /// The relocations of the function: type and symbol.
    var relocations: [(type: String, symbol: String)] = []
  }

  private(set) var functions: [String: Function] = [:]
  let undefined: Set<String>

  /// - Parameter version: of LLVM's tools, for a Mach-O object; `nil` for binutils.
  init(_ object: String, llvm version: Int? = nil, in workshop: Workshop) throws {
    func tool(_ name: String) -> String { version.map { "llvm-\(name)-\($0)" } ?? name }
    let symbols = try workshop.make(tool("nm"), ["-u", object]).text
    undefined = Set(
      symbols.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) })
    let listing = try workshop.make(tool("objdump"), ["-dr", "--no-show-raw-insn", object]).text
    var current = ""
    // The target belongs to the instruction before, unless a relocation names another one.
    var target: String?
    for line in listing.split(separator: "\n") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      let isRelocation =
        words.count >= 3 && (words[1].hasPrefix("R_") || words[1].contains("_RELOC_"))
      if let target, !isRelocation { functions[current]?.calls.insert(target) }
      target = nil
      if line.hasSuffix(">:"), let name = line.split(separator: "<").last?.dropLast(2) {
        current = String(name)
        functions[current] = Function()
        continue
      }
      if isRelocation {
        let symbol = words[2].split(whereSeparator: { $0 == "-" || $0 == "+" }).first ?? words[2]
        functions[current]?.relocations.append((String(words[1]), String(symbol)))
        functions[current]?.calls.insert(String(symbol))
      } else if let name = words.last, name.hasPrefix("<"), !name.contains("+") {
        target = String(name.dropFirst().dropLast())
      }
    }
    if let target { functions[current]?.calls.insert(target) }
  }

  /// All functions that direct calls and jumps reach from `root`. The calls of functions in `others` are not followed.
  func reached(from root: String, except others: Set<String> = []) -> Set<String> {
    var reached: Set<String> = []
    var waiting = [root]
    while let name = waiting.popLast() {
      guard !others.contains(name), let function = functions[name],
        reached.insert(name).inserted
      else { continue }
      waiting += function.calls
    }
    return reached
  }
}
