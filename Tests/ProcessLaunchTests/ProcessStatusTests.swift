import ProcessLaunch
import Testing

@Suite struct ProcessStatusTests {
  @Test func aFieldIsItsFirstWord() {
    let status = ProcessStatus("Name:\tState: x\nState:\tZ (zombie)\nTracerPid:\t12\nGroups:\t \n")
    #expect(status["State"] == "Z" && status["TracerPid"] == "12" && status["Name"] == "State")
    #expect(status["Groups"] == nil && status["VmSize"] == nil)
  }

  @Test func aProcessThatIsNoneHasNoStatus() { #expect(ProcessStatus(of: -1) == nil) }
}
