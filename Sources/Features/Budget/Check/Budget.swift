import Audit
import ImageModel
import LaunchMeasurement

/// Limits on the figures of a launch, which documents of other commands state. People write the budget, or edit the one that
/// `check --init` wrote.
package struct Budget: Hashable, Sendable {
  /// In the order of the file.
  package var limits: [Limit]
  /// The libraries that an image may load; `nil` allows all.
  package var libraries: AllowedLibraries?

  package init(limits: [Limit], libraries: AllowedLibraries? = nil) {
    self.limits = limits
    self.libraries = libraries
  }

  /// The maximum number of limits in a file; far more than anybody reads.
  static let mostLimits = 4000

  package struct AllowedLibraries: Hashable, Sendable {
    package var patterns: [LibraryPattern]
    /// Where the file has them, from 1.
    package var line: Int

    package init(patterns: [LibraryPattern], line: Int = 1) {
      self.patterns = patterns
      self.line = line
    }
  }

  /// What one figure must be: at least one of `maximum`, `minimum` and `againstBase`.
  package struct Limit: Hashable, Sendable {
    package var figure: BudgetFigure
    /// The file name of the image; `nil` stands for each image with the figure.
    package var image: String?
    /// `nil` stands for each page size of the figure.
    package var pageSize: PageSize?
    /// The state of the page cache; `nil` stands for each. For times only.
    package var state: String?
    package var maximum: Bound?
    package var minimum: Bound?
    package var againstBase: Allowance?
    /// Where the file has it, from 1.
    package var line: Int

    package init(
      _ figure: BudgetFigure, image: String? = nil, pageSize: PageSize? = nil,
      state: String? = nil, maximum: Bound? = nil, minimum: Bound? = nil,
      againstBase: Allowance? = nil, line: Int = 1
    ) {
      self.figure = figure
      self.image = image
      self.pageSize = pageSize
      self.state = state
      self.maximum = maximum
      self.minimum = minimum
      self.againstBase = againstBase
      self.line = line
    }

    /// Whether it is about a figure of an image.
    func isAbout(_ found: CheckedImage.Figure, of image: CheckedImage) -> Bool {
      found.source == figure.source && found.metric.name == figure.name
        && (self.image.map { $0 == image.name } ?? true)
        && (pageSize.map { $0 == found.pageSize } ?? true)
        && (state.map { $0 == found.state } ?? true)
    }
  }
}

extension Budget {
  /// The states of the page cache in which the limits need times; empty if no limit is of a time.
  package var timeStates: [CacheState] {
    let states = limits.filter { $0.figure.isTime }.map(\.state)
    return CacheState.allCases.filter { state in
      states.contains { $0 == nil || $0 == state.rawValue }
    }
  }
}
