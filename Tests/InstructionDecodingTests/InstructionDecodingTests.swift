// Compares the sizes and targets of instructions with what llvm-objdump prints.

import Addresses
import InstructionDecoding
import TestSupport
import Testing

@Suite struct InstructionDecodingTests {
  private struct Line {
    var address: UInt64
    var bytes: [UInt8]
    var text: Substring
  }

  /// The instructions of an image.
  private func disassembly(of path: String) throws -> [Line] {
    let text = try #require(Tool("llvm-objdump-19") ?? Tool("llvm-objdump")).run(["-d", path])
    return text.split(separator: "\n").compactMap { line in
      guard let colon = line.firstIndex(of: ":"), let tab = line.firstIndex(of: "\t"),
        let address = UInt64(line[..<colon].drop { $0 == " " }, radix: 16)
      else { return nil }
      let words = line[line.index(after: colon)..<tab].split(separator: " ")
      // AArch64's instructions are printed as one word.
      let bytes = words.flatMap { word -> [UInt8] in
        let digits = Array(word)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
          UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return bytes.count == 4 ? bytes.reversed() : bytes
      }
      // llvm-objdump prints this prefix on a line of its own.
      return line[tab...] == "\tlock"
        ? nil : Line(address: address, bytes: bytes, text: line[tab...])
    }
  }

  private func decoded(
    _ bytes: [UInt8], at address: UInt64 = 0, by set: InstructionSet = .x8664,
    absolute: AddressRange? = nil
  ) -> [DecodedInstruction]? {
    var found: [DecodedInstruction] = []
    let isKnown = set.forEachInstruction(
      in: bytes, at: StatedAddress(rawValue: address), absolute: absolute
    ) { found.append($0) }
    return isKnown ? found : nil
  }

  private func expectAgreement(of path: String, _ set: InstructionSet) throws {
    var wrong: [String] = []
    var count = 0
    for line in try disassembly(of: path) where !line.text.contains("<unknown>") {
      let found = decoded(line.bytes, at: line.address, by: set)
      count += 1
      var isRight = found?.count == 1 && found?.first?.size == line.bytes.count
      let words = line.text.split { $0 == "\t" || $0 == " " }
      if ["callq", "call", "bl"].contains(words.first ?? ""), words.count > 1,
        let target = UInt64(words[1].drop { $0 == "0" || $0 == "x" }, radix: 16)
      {
        isRight = isRight && found?.first?.kind == .call && found?.first?.target?.rawValue == target
      }
      if !isRight { wrong.append("\(line)") }
    }
    #expect(count > 10 && wrong.isEmpty, "\(wrong.count) of \(count): \(wrong.prefix(20))")
  }

  @Test(
    .needs("clang", "llvm-objdump", .time),
    arguments: [
      ["-O2", "-mavx2", "-mfma"], ["-O2", "-mavx512f", "-mavx512vl"], ["-O0"], ["-Os", "-m64"],
    ]) func instructionsHaveTheSizesThatTheDisassemblerPrints(flags: [String]) throws
  {
    let folder = try TemporaryFolder()
    let source = try folder.write(Array(Self.program.utf8), "program.c")
    let object = folder.path("program.o")
    try #require(Tool("clang")).run(
      ["--target=x86_64-linux-gnu", "-ffreestanding", "-c", source, "-o", object] + flags)
    try expectAgreement(of: object, .x8664)
    try #require(Tool("clang")).run(
      ["--target=aarch64-linux-gnu", "-ffreestanding", "-c", source, "-o", object]
        + flags.filter { !$0.hasPrefix("-m") })
    try expectAgreement(of: object, .aarch64)
  }

  static let program = """
    typedef unsigned long u64;
    extern int callee(const char *, ...);
    extern u64 variable;
    static const double table[] = {1, 2, 3, 4, 5, 6, 7, 8};
    double sum(const double *a, const double *b, int n) {
      double s = 0;
      for (int i = 0; i < n; i++) s += a[i] * b[i] + table[i & 7];
      return s;
    }
    void scale(float *restrict a, const float *restrict b, int n) {
      for (int i = 0; i < n; i++) a[i] = b[i] * 3.5f + a[i];
    }
    u64 mix(u64 a, u64 b) {
      a ^= variable++; a = a << 13 | a >> 51; b *= 0x123456789abcdef0; a += b / (a | 1);
      return a ^ __builtin_bswap64(b) ^ __builtin_popcountll(a) ^ __builtin_ctzll(b | 1);
    }
    int choose(int n) {
      switch (n) {
        case 0: return callee("a"); case 1: return callee("bb", n); case 2: return callee("c", 2.0);
        case 3: return callee("d") + 1; case 4: return callee("e") * 2; case 5: return 7;
        case 9: return callee("f") - 100000; default: return n > 1000 ? callee("g") : -n;
      }
    }
    int bytes(unsigned char *p, int n) {
      int s = 0;
      for (int i = 0; i < n; i++) { s += p[i] > 'a' ? p[i] : -1; p[i] ^= 0x55; }
      __atomic_fetch_add(&variable, n, __ATOMIC_SEQ_CST);
      return s ? s : callee("none", p);
    }
    long double wide(long double x, int n) { return x * n + variable; }
    int chain(u64 a) { return a > 0x7fffffffffffull ? choose(mix(a, a)) : bytes((void *)a, 3); }
    """

  @Test(
    arguments: [
      ("an incomplete instruction", [0xe8, 0, 0, 0]), ("only prefixes", [0x66, 0xf2]),
      ("an instruction of 3DNow!", [0x0f, 0x0f, 0xc0, 0xb4]),
      ("a map that does not exist", [0x62, 0x04, 0, 0, 0]),
      ("an incomplete operand", [0x8b, 0x05, 1, 2, 3]), ("an incomplete VEX prefix", [0xc4, 0xe2]),
    ] as [(String, [UInt8])]) func unknownCodeIsNotDecoded(_ what: String, _ code: [UInt8])
  {
    #expect(decoded(code) == nil, "\(what)")
  }

  @Test(arguments: [
    (
      "a call of another place", [0xe8, 1, 2, 3, 4] as [UInt8], [0xe8, 5, 6, 7, 8] as [UInt8], true
    ),
    (
      "a load from another place", [0x48, 0x8b, 0x05, 1, 2, 3, 4], [0x48, 0x8b, 0x05, 5, 6, 7, 8],
      true
    ),
    ("another field of a record", [0x48, 0x8b, 0x47, 8], [0x48, 0x8b, 0x47, 16], false),
    ("another constant", [0xb8, 1, 0, 0, 0], [0xb8, 2, 0, 0, 0], false),
    ("another absolute address", [0xb8, 0, 0x10, 0x40, 0], [0xb8, 0, 0x20, 0x40, 0], true),
    ("another register", [0x48, 0x89, 0xc3], [0x48, 0x89, 0xc1], false),
  ]) func onlyAddressesDoNotCount(_ what: String, _ a: [UInt8], _ b: [UInt8], isEqual: Bool) {
    let image = AddressRange(start: StatedAddress(rawValue: 0x400000), size: 0x10000)
    let (a, b) = (decoded(a, absolute: image)?.first, decoded(b, absolute: image)?.first)
    #expect(a != nil && (a?.code == b?.code) == isEqual && a?.opcode == b?.opcode, "\(what)")
  }
}
