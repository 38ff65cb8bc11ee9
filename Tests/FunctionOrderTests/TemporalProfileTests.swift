import TestSupport
import Testing

@Suite(.needs(.llvmProfdata)) struct TemporalProfileTests {
  @Test(arguments: [(1, 1), (2, 3), (17, 3), (60, 5), (80, 1), (700, 12)])
  func withItsUtilitiesTheOrderIsThatOfLLVM(functions: Int, launches: Int) throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      let profile = TemporalProfile.random(functions: functions, launches: launches, seed: seed)
      let order = profile.order
      for tool in LLVMProfdata.installed {
        #expect(
          try LLVMProfdata.order(of: profile, with: tool) == order, "\(tool.path), seed \(seed)")
      }
    }
  }
}
