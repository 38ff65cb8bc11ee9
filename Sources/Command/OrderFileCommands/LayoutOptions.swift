import ArgumentParser
import ImageModel
import LaunchMeasurement
import Measuring

/// The options of `measure` for random layouts of both builds.
struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Link both builds in this many random layouts, and say whether they differ by more than layout alone makes.",
      valueName: "number"), transform: expecting("a number of layouts"))
  var layouts: Int?
  @Option(
    help: ArgumentHelp(
      "With --layouts: the order file that names the functions that launches use. They keep their order.",
      valueName: "file"), completion: .file())
  var order: String?
  @Option(
    help: ArgumentHelp(
      "With --layouts: the command that links A with the order file $ORDERFILE_ORDER, run by sh -c.",
      valueName: "command"))
  var relinkBefore: String?
  @Option(
    help: ArgumentHelp(
      "With --layouts: the command that links B in the same way.", valueName: "command"))
  var relinkAfter: String?

  private static let most = 1000

  /// - Parameter others: options that can't be used together with `--layouts`, and whether each is given.
  func check(others: [(option: String, isGiven: Bool)]) throws {
    let given = [
      ("--order", order != nil), ("--relink-before", relinkBefore != nil),
      ("--relink-after", relinkAfter != nil),
    ]
    guard let layouts else {
      guard let option = given.first(where: \.1)?.0 else { return }
      throw ValidationError("\(option) is about random layouts: give --layouts, too")
    }
    let least = LayoutComparison.leastLayouts
    guard (least...Self.most).contains(layouts) else {
      throw ValidationError(
        "invalid --layouts: expected \(least) to \(Self.most), because fewer layouts can show no difference, found \(layouts)"
      )
    }
    if let missing = given.first(where: { !$0.1 })?.0 {
      throw ValidationError("--layouts also needs \(missing)")
    }
    if let other = others.first(where: \.isGiven)?.option {
      throw ValidationError("\(other) can't be used with --layouts")
    }
  }

  /// The measurement of the layouts; `nil` without `--layouts`.
  func measurement(_ pair: BuildMeasurement) -> LayoutMeasurement? {
    guard let layouts, let order, let relinkBefore, let relinkAfter else { return nil }
    return LayoutMeasurement(
      pair, layouts: layouts, order: order, relinkBefore: relinkBefore, relinkAfter: relinkAfter)
  }
}
