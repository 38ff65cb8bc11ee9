import Foundation
import FunctionOrder
import TestSupport

/// A temporal profile as LLVM's tools read it, and the order that LLVM's definition of utilities gives.
struct TemporalProfile {
  private(set) var names: [String]
  /// The functions of each launch, as indexes of `names`, in the order of first uses.
  var launches: [[Int]]

  /// Launches that all use a certain fifth of the functions, and also the functions of three features out of twelve.
  /// Some launches use all functions in a random order.
  static func random(functions: Int, launches: Int, seed: UInt64) -> Self {
    var random = SeededRandom(seed: seed)
    let features = (0..<12).map { _ in
      Array((0..<functions).shuffled(using: &random).prefix(max(1, functions / 10)))
    }
    return Self(
      names: (0..<functions).map { "function_\($0)" },
      launches: (0..<launches).map { _ in
        var uses = Array(0..<max(1, functions / 5))
        for feature in features.shuffled(using: &random).prefix(3) { uses += feature }
        if Int.random(in: 0..<3, using: &random) == 0 { uses.shuffle(using: &random) }
        var isUsed: Set<Int> = []
        return uses.filter { isUsed.insert($0).inserted }
      })
  }

  /// The expected output of `llvm-profdata order`.
  var order: [String] {
    let identifiers = names.map { MD5.lowHalf(of: Array($0.utf8)) }
    var utilities = names.map { _ in [UInt32]() }
    var first = names.map { _ in Int.max }
    var utility: UInt32 = 0
    for launch in launches {
      // LLVM has one utility for the first function, one for the first two, the first four, eight and so on. A function
      // that is among the first has the utilities of all longer groups.
      var limit = 1
      var uses: [(function: Int, utility: UInt32)] = []
      for (step, function) in launch.enumerated() {
        first[function] = min(first[function], step)
        if step >= limit {
          utility += 1
          limit = 2 * step
        }
        uses.append((function, utility))
      }
      for use in uses { utilities[use.function] += use.utility...utility }
      utility += 1
    }
    let used = names.indices.filter { first[$0] < .max }
      .sorted { (first[$0], identifiers[$0]) < (first[$1], identifiers[$1]) }
    var functionCount = [Int](repeating: 0, count: Int(utility))
    for utility in utilities.joined() { functionCount[Int(utility)] += 1 }
    let items = used.map { function in
      utilities[function].filter {
        functionCount[Int($0)] > 1 && 2 * functionCount[Int($0)] <= used.count
      }
    }
    return BalancedPartitioning.order(items).map { names[used[$0]] }
  }

  var text: String {
    let traces = launches.map { launch in
      "# Weight:\n1\n\(launch.map { names[$0] }.joined(separator: ","))\n"
    }
    return ":ir\n:temporal_prof_traces\n# Num Temporal Profile Traces:\n\(launches.count)\n"
      + "# Temporal Profile Trace Stream Size:\n\(launches.count)\n" + traces.joined() + "\n"
      + names.map { "\($0)\n1\n1\n1\n\n" }.joined()
  }
}

/// `llvm-profdata` of LLVM 20 or later: earlier ones derive other utilities from the same profile.
enum LLVMProfdata {
  /// The installed `llvm-profdata` programs: the Swift toolchain's, and Debian's.
  static let installed: [Tool] = {
    let compiler = toolPath("clang").map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() }
    let own = compiler.map { $0.deletingLastPathComponent().path + "/llvm-profdata" }
    return ([own].compactMap { $0 } + (20...30).map { "/usr/lib/llvm-\($0)/bin/llvm-profdata" })
      .compactMap(Tool.init(path:)).filter { tool in
        guard let version = try? tool.run(["--version"]).split(separator: "LLVM version ").last,
          let major = version.split(separator: ".").first.flatMap({ Int($0) })
        else { return false }
        return major >= 20
      }
  }()

  /// The functions in the order of `profile`.
  static func order(of profile: TemporalProfile, with tool: Tool) throws -> [String] {
    let workshop = try Workshop()
    try workshop.write(Array(profile.text.utf8), "launches.proftext")
    return try tool.run(["order", workshop.folder.path + "/launches.proftext"])
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }
}

extension Requirement {
  static let llvmProfdata = Requirement("llvm-profdata of LLVM 20 or later") {
    !LLVMProfdata.installed.isEmpty
  }
}

/// The message digest of RFC 1321, by which LLVM identifies functions.
enum MD5 {
  private static let table = (0..<64).map { UInt32(abs(sin(Double($0 + 1))) * 4_294_967_296) }
  private static let shifts: [[UInt32]] = [
    [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
  ]

  /// The first 8 bytes, as a little-endian number.
  static func lowHalf(of bytes: [UInt8]) -> UInt64 {
    var message = bytes + [0x80]
    message += [UInt8](repeating: 0, count: (120 - message.count % 64) % 64)
    message += (0..<8).map { UInt8(truncatingIfNeeded: (bytes.count * 8) >> (8 * $0)) }
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
    for block in stride(from: 0, to: message.count, by: 64) {
      let words = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 | UInt32(message[block + 4 * word + $1]) << UInt32(8 * $1) }
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      for i in 0..<64 {
        let (mixed, word) =
          switch i / 16 {
          case 0: (b & c | ~b & d, i)
          case 1: (d & b | ~d & c, 5 * i + 1)
          case 2: (b ^ c ^ d, 3 * i + 5)
          default: (c ^ (b | ~d), 7 * i)
          }
        let sum = mixed &+ a &+ table[i] &+ words[word % 16]
        let shift = shifts[i / 16][i % 4]
        (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
      }
      for (i, value) in [a, b, c, d].enumerated() { state[i] &+= value }
    }
    return UInt64(state[0]) | UInt64(state[1]) << 32
  }
}
