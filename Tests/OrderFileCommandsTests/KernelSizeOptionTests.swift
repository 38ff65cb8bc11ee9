import OrderFileCommands
import Prediction
import Testing

@Suite struct KernelSizeOptionTests {
  @Test(
    arguments: [
      ("0", 0), ("4096", 4096), ("64k", 65_536), ("128k", 131_072), ("8m", 8 << 20),
      ("1024m", 1 << 30), ("1073741824", 1 << 30),
    ] as [(String, UInt64)])
  func sizesAreAsWritten(argument: String, bytes: UInt64) {
    #expect(KernelSize(argument: argument) == .bytes(bytes))
  }

  @Test(
    arguments: [
      "", "k", "-1", "64K", "64kb", "1.5m", "1025m", "0x10", "99999999999999999999", "²",
      "1073741825",
    ])
  func nothingElseIsASize(argument: String) {
    #expect(KernelSize(argument: argument) == nil)
  }

  @Test func automaticIsThisMachines() {
    #expect(KernelSize(argument: "auto") == .automatic)
  }
}
