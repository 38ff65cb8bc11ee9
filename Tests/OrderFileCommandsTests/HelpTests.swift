import ArgumentParser
import OrderFileCommands
import Testing

/// The help of `orderfile` itself: the first page that a newcomer reads.
@Suite struct HelpTests {
  @Test func theCommandsAreInGroups() {
    let groups = OrderFileCommand.configuration.groupedSubcommands.map { group in
      "\(group.name): " + group.subcommands.map { $0._commandName }.joined(separator: " ")
    }
    #expect(
      groups == [
        "Start: auto doctor init report",
        "Order: record import merge gen refine verify",
        "Look at a launch: pages faults stages measure audit advise",
        "Guard: diff check history",
        "Files: show export", "For build systems: cc c++",
      ])
  }

  @Test func theCompilerWrappersAreHidden() throws {
    let help = OrderFileCommand.helpMessage()
    let listed = help.split(separator: "\n").compactMap { $0.firstMatch(of: /^  (\S+) {2,}\S/)?.1 }
    #expect(listed.contains("auto") && !listed.contains("cc") && !listed.contains("c++"))
    #expect(!help.contains("FOR BUILD SYSTEMS"))
    for command in ["cc", "c++"] {
      _ = try OrderFileCommand.parse(commandLine: ["orderfile", "help", command])
    }
  }

  @Test func theHelpEndsWithTheWayToMoreHelp() {
    #expect(
      OrderFileCommand.helpMessage().hasSuffix(
        "See 'orderfile help <subcommand>' for detailed help."))
  }

  @Test func theExamplesBeginWithTheShortestWay() {
    let examples = OrderFileCommand.configuration.discussion.split(separator: "\n")
      .filter { $0.contains("$ ") }
    #expect(examples.first?.contains("$ orderfile auto ") == true)
    #expect(examples.dropFirst().first?.contains("$ orderfile record --breakpoints ") == true)
  }
}
