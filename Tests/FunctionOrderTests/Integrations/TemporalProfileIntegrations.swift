import TestSupport
import Testing

@Suite(.needs(.llvmProfdata)) struct TemporalProfileIntegrations {
  @Test(arguments: [(3000, 40), (15000, 30)])
  func ofThousandsOfFunctionsTheOrderIsThatOfLLVM(functions: Int, launches: Int) throws {
    let profile = TemporalProfile.random(functions: functions, launches: launches, seed: 7)
    let order = profile.order
    for tool in LLVMProfdata.installed {
      #expect(try LLVMProfdata.order(of: profile, with: tool) == order, "\(tool.path)")
    }
  }
}
