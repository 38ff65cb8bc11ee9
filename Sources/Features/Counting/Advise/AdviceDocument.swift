import ImageModel
import PagesFormat

/// Options for compilers and linkers, each with the pages that a launch touches less with it.
package struct AdviceDocument: Hashable, Sendable {
  package var image: ImageReference
  /// The words of the launch.
  package var command: [String]
  /// As it is linked now.
  package var present: Pages
  /// How much the pages of two launches of the same image differ; `nil` if it was launched once.
  package var variation: Int?
  /// Those that keep what the program does, then the others; each by the pages it saves.
  package var options: [Option]
  /// The best of the options that give up nothing, together; `nil` if nothing was linked, or none of them saves a page.
  package var together: Together?
  /// Printed by the caller, after the result.
  package var warnings: [Diagnostic]

  package init(_ image: ImageReference, command: [String], present: Pages) {
    self.image = image
    self.command = command
    self.present = present
    options = []
    warnings = []
  }

  /// The pages of an image that a launch touched.
  package struct Pages: Hashable, Sendable {
    /// Pages of code that were executed.
    package var text: DataPages.Counts
    /// Pages that were read or written.
    package var data: DataPages

    package init(_ image: PagesDocument.Image) {
      text = PagesDocument.pageSizes.map { image.textCount(executed: true, $0) }
      data = DataPages(of: image)
    }

    /// The executed pages of 4 KiB, and those that were read or written.
    package var sum: Int { text[0] + data.total[0] }
  }

  package struct Option: Hashable, Sendable {
    package var name: String
    package var linking: [String]
    package var compiling: [String]
    package var effect: String
    package var needs: String?
    package var givesUp: String?
    package var outcome: Outcome

    package init(
      name: String, linking: [String], compiling: [String], effect: String, needs: String?,
      givesUp: String?, outcome: Outcome
    ) {
      self.name = name
      self.linking = linking
      self.compiling = compiling
      self.effect = effect
      self.needs = needs
      self.givesUp = givesUp
      self.outcome = outcome
    }
  }

  package enum Outcome: Hashable, Sendable {
    /// The image was linked with the option, and its launch counted.
    case measured(Pages)
    /// That many pages of 4 KiB less would be read or written, as the image's tables tell.
    case predicted(saved: Int)
    /// The command makes the same image with the option.
    case unchanged
    /// The link or the launch fails; why.
    case failed(String)
  }

  package struct Together: Hashable, Sendable {
    /// Names of options.
    package var names: [String]
    package var linking: [String]
    package var compiling: [String]
    package var pages: Pages

    package init(names: [String], linking: [String], compiling: [String], pages: Pages) {
      self.names = names
      self.linking = linking
      self.compiling = compiling
      self.pages = pages
    }
  }
}

extension AdviceDocument {
  /// The pages of 4 KiB that are read or written less with the option; negative if there are more, `nil` if it can't be
  /// linked.
  package func saved(by option: Option) -> Int? {
    switch option.outcome {
    case .measured(let pages): present.data.total[0] - pages.data.total[0]
    case .predicted(let saved): saved
    case .unchanged: 0
    case .failed: nil
    }
  }
}
