import ImageModel
import OrderFileCommands
import Testing

/// `-1,FILE` is no option, although it begins like one.
@Suite struct WeightedOptionTests {
  @Test(arguments: ["merge", "gen"]) func aNegativeWeightIsAWrongWeight(command: String) throws {
    var command = try OrderFileCommand.parseAsRoot([command, "--weighted", "-1,app.oftrace"])
    let error = #expect(throws: Diagnostic.self) { try command.run() }
    #expect(error?.message.hasPrefix("invalid weight: expected ") ?? false)
    #expect(error?.severity == .usage)
  }

  @Test func aTraceWithAWeightIsEnoughToCompareLayouts() {
    #expect(throws: Never.self) {
      try OrderFileCommand.parseAsRoot(["diff", "before", "after", "--weighted", "3,app.oftrace"])
    }
  }
}
