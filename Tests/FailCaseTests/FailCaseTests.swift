import Foundation
import FuzzTargets
import Testing

@Suite struct FailCaseTests {
  @Test(arguments: FailCase.all)
  func whatOnceFailedIsReadWithinTheLimits(_ failCase: FailCase) async throws {
    await #expect(processExitsWith: .success) {
      [target = failCase.target as String, path = failCase.path as String] in
      let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
      let reader = try #require(FuzzTarget(named: target))
      limitReader(of: bytes.count)
      reader.run(bytes)
    }
  }

  /// Nobody would notice a folder that no fuzz target reads.
  @Test func eachFolderIsOneTargets() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: FailCase.folder)
    #expect(folders.filter { FuzzTarget(named: $0) == nil } == [])
  }
}
