import Audit
import ImageModel
import LaunchMeasurement

/// Limits on the figures of a launch, which documents of other commands state. People write the budget, or edit the one that
/// `check --init` wrote.
package struct Budget: Hashable, Sendable {
  /// The limits, in the order of the file.
  package var limits: [Limit]
  /// The libraries that an image may load; `nil` allows all.
  package var libraries: AllowedNames?
  /// The start-up tasks that an image may register; `nil` allows all.
  package var tasks: AllowedNames?

  package init(limits: [Limit], libraries: AllowedNames? = nil, tasks: AllowedNames? = nil) {
    self.limits = limits
    self.libraries = libraries
    self.tasks = tasks
  }

  /// The maximum number of limits in a file: far more than anybody reads.
  static let mostLimits = 4000

  package struct AllowedNames: Hashable, Sendable {
    /// Patterns of names. A library is compared as `LibraryPattern` says, and a task by its whole name: `database of
    /// first screen`.
    package var patterns: [LibraryPattern]
    /// The line of the list in the file, from 1.
    package var line: Int

    package init(patterns: [LibraryPattern], line: Int = 1) {
      self.patterns = patterns
      self.line = line
    }
  }

  /// The required range of one figure: at least one of `maximum`, `minimum` and `againstBase`.
  package struct Limit: Hashable, Sendable {
    package var figure: BudgetFigure
    /// The file name of the image; `nil` selects each image with the figure.
    package var image: String?
    /// The page size; `nil` selects each page size of the figure.
    package var pageSize: PageSize?
    /// The state of the page cache, for times only; `nil` selects each state.
    package var state: String?
    package var maximum: Bound?
    package var minimum: Bound?
    package var againstBase: Allowance?
    /// The line of the limit in the file, from 1; 1 for a limit of the command line.
    package var line: Int
    /// The value of `--limit` that states the limit; `nil` for a limit of the file.
    package var option: String?

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

    /// Whether the limit applies to a figure of an image.
    func isAbout(_ found: CheckedImage.Figure, of image: CheckedImage) -> Bool {
      found.source == figure.source && found.metric.name == figure.name
        && (self.image.map { $0 == image.name } ?? true)
        && (pageSize.map { $0 == found.pageSize } ?? true)
        && (state.map { $0 == found.state } ?? true)
    }
  }
}

extension Budget {
  /// The state of the page cache in which limits need launches that are divided into stages: `cold` if a limit names this
  /// state; `nil` if no limit is on a time of stages.
  package var stagesState: CacheState? {
    let times = limits.filter(\.figure.isStageTime)
    if times.isEmpty { return nil }
    return times.contains { $0.state == CacheState.cold.rawValue } ? .cold : .warm
  }

  /// Whether a limit needs the resident memory of the launch.
  package var needsMemory: Bool { limits.contains { $0.figure.isMemory } }

  /// The states of the page cache in which the limits need times; empty if no limit is on a time.
  package var timeStates: [CacheState] {
    let states = limits.filter { $0.figure.isTime }.map(\.state)
    return CacheState.allCases.filter { state in
      states.contains { $0 == nil || $0 == state.rawValue }
    }
  }
}
