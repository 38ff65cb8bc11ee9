import ImageModel
import PagesFormat

/// Options for compilers and linkers, each with the number of pages that it saves in a launch.
package struct AdviceDocument: Hashable, Sendable {
  package var image: ImageReference
  /// The words of the launched command.
  package var command: [String]
  /// The pages of the image as it is linked now.
  package var present: Pages
  /// How much the pages of two launches of the same image differ; `nil` if it was launched once.
  package var variation: Int?
  /// The options: first those that keep the program's behaviour, then the others. Within both, the option that saves
  /// the most pages is first.
  package var options: [Option]
  /// The best of the options that keep the program's behaviour, used together; `nil` if nothing was linked, or if no
  /// such option saves a page.
  package var together: Together?
  /// Warnings, which the caller prints after the result.
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
    /// Pages of code that the launch executed.
    package var text: DataPages.Counts
    /// Pages that the launch read or wrote.
    package var data: DataPages

    package init(_ image: PagesDocument.Image) {
      text = PagesDocument.pageSizes.map { image.textCount(executed: true, $0) }
      data = DataPages(of: image)
    }

    /// The number of executed pages of 4 KiB, plus the number of pages that were read or written.
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
    /// The image was linked with the option, and the pages of its launch were counted.
    case measured(Pages)
    /// The option saves this number of 4 KiB pages that are read or written, according to the image's tables.
    case predicted(saved: Int)
    /// The link command makes the same image with the option as without it.
    case unchanged
    /// The link or the launch fails, for this reason.
    case failed(String)
  }

  package struct Together: Hashable, Sendable {
    /// The names of options.
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
  /// Returns the number of 4 KiB pages, read or written, that the option saves. It is negative if the option adds
  /// pages, and `nil` if the image can't be linked with the option.
  package func saved(by option: Option) -> Int? {
    switch option.outcome {
    case .measured(let pages): present.data.total[0] - pages.data.total[0]
    case .predicted(let saved): saved
    case .unchanged: 0
    case .failed: nil
    }
  }
}
