import CommandSupport
import ImageModel
import PagesFormat
import Rendering

/// The steps that a count of pages shows, for its first image: recording a launch, and options that save pages which
/// only the loader touches. A count does not show how much an order file saves.
package struct PagesNextSteps {
  private let document: PagesDocument

  package init(_ document: PagesDocument) { self.document = document }

  /// The least number of pages for which a step is worth its time.
  private static let leastPages = 8

  /// Sorted by `NextStep.inSequence`; empty if no image was counted.
  package var steps: [NextStep] {
    guard let image = document.images.first else { return [] }
    return NextStep.inSequence([
      [recording(image), advice(image)].compactMap { $0 } + [nothing(image)]
    ])
  }

  /// The path of the image as the user gave it if the image is the launched program, else the path that was counted.
  private func path(_ image: PagesDocument.Image) -> String {
    guard let program = document.command.first, program.contains("/"),
      fileName(ofPath: program) == fileName(ofPath: image.path)
    else { return image.path }
    return program
  }

  private var launch: String { document.command.map(shellWord).joined(separator: " ") }

  private func recording(_ image: PagesDocument.Image) -> NextStep? {
    let executed = image.textCount(executed: true)
    guard executed >= Self.leastPages else { return nil }
    let all = image.fileCount(of: .text, .fourKibibytes).map { " of \($0)" } ?? ""
    let path = self.path(image)
    let commands = OrderCommands(image: image.path, launch: document.command)
    return NextStep(
      .record,
      "the launch executes \(executed)\(all) pages of code of \(path); "
        + "a recording shows how many an order file saves",
      commands: [
        commands.record(),
        "orderfile diff \(shellWord(path)) \(shellWord(path)) --trace \(shellWord(commands.newTrace))",
      ])
  }

  /// Pages that only the loader touches are not needed if the image gives the loader less work.
  private func advice(_ image: PagesDocument.Image) -> NextStep? {
    guard image.loading != nil else { return nil }
    let shares = DataPages(of: image).shares.filter {
      [.relocation, .lookUp].contains($0.accessor) && $0.alone[0] > 0
    }
    let pages = shares.map(\.alone[0]).reduce(0, +)
    guard pages >= Self.leastPages else { return nil }
    let parts = shares.map { "\($0.accessor.rawValue): \($0.alone[0])" }.joined(separator: ", ")
    return NextStep(
      .advise,
      "\(pages) pages of \(path(image)) are touched only by the loader (\(parts)): options of linkers can save some",
      commands: ["orderfile advise \(shellWord(path(image))) -- \(launch)"])
  }

  private func nothing(_ image: PagesDocument.Image) -> NextStep {
    NextStep(
      .nothing,
      "the launch executes only \(counted(image.textCount(executed: true), "page")) of code of \(path(image))"
    )
  }
}
