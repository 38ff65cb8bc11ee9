import Addresses
import FaultEstimate
import ImageModel
import PagesFormat

/// The pages of code that launches of the two layouts executed, as `orderfile pages` measured them, compared with the
/// prediction. Also the pages that the launches read or wrote.
package struct MeasuredPages: Hashable, Sendable {
  /// The launch of the layout before; `nil` for a layout that was not measured.
  package var before: Side?
  package var after: Side?

  package init(before: Side?, after: Side?) {
    self.before = before
    self.after = after
  }

  /// One measured launch, compared with the prediction for its layout.
  package struct Side: Hashable, Sendable {
    package var source: Source
    /// The size of the pages in `differences`.
    package var pageSize: PageSize
    /// The predicted and the measured number of pages, for each page size.
    package var counts: [Count]
    /// Pages that are only predicted or only executed, ascending by address.
    package var differences: [Difference]
    /// The number of pages that were read but not executed, and how many of them were predicted to be executed.
    package var pagesRead: PagesRead
    /// Pages that were read or written; `nil` in documents of older versions.
    package var data: [DataPages.Row]?
    /// The comparison of `data` with the predicted pages of data; `nil` if there is no prediction.
    package var predictedData: DataPageAccount?
    /// Whether `data` includes the touches of the loader before the image's first instruction.
    package var countsLoading = false

    package init(
      _ source: Source, pageSize: PageSize, counts: [Count], differences: [Difference],
      pagesRead: PagesRead, data: [DataPages.Row]?, predictedData: DataPageAccount? = nil,
      countsLoading: Bool
    ) {
      self.source = source
      self.pageSize = pageSize
      self.counts = counts
      self.differences = differences
      self.pagesRead = pagesRead
      self.data = data
      self.predictedData = predictedData
      self.countsLoading = countsLoading
    }
  }

  /// The origin of the measured touches.
  package struct Source: Hashable, Sendable {
    /// The path of the document.
    package var path: String
    /// The method that withheld access to pages: `preload`, `ptrace`.
    package var method: String
    package var command: [String]

    package init(path: String, method: String, command: [String]) {
      self.path = path
      self.method = method
      self.command = command
    }
  }

  package struct Count: Hashable, Sendable {
    package var pageSize: PageSize
    package var predicted: Int
    package var measured: Int
  }

  package struct PagesRead: Hashable, Sendable {
    package var predicted: Int
    package var measured: Int

    package init(predicted: Int, measured: Int) {
      self.predicted = predicted
      self.measured = measured
    }
  }

  /// A page that is only predicted, or only executed.
  package struct Difference: Hashable, Sendable {
    /// The address of the first byte of the page.
    package var address: StatedAddress
    package var isExecuted: Bool
    package var cause: PageAccount.Cause
    /// The function that ran on the page, or was predicted to run there; `nil` if it has no name.
    package var function: SymbolName?
  }

  /// The number of differing pages for one cause.
  struct CauseCount: Hashable {
    var cause: PageAccount.Cause
    var onlyPredicted: Int
    var onlyExecuted: Int
  }
}

extension MeasuredPages {
  /// The measured layouts, with their names.
  var sides: [(layout: String, side: Side)] {
    [before.map { ("before", $0) }, after.map { ("after", $0) }].compactMap { $0 }
  }
}

extension MeasuredPages.Count {
  /// The predicted number of pages minus the measured number.
  var error: Int { predicted - measured }
}

extension MeasuredPages.Side {
  /// The number of pages for each cause, in the order of the report. They add up to `differences`.
  var causes: [MeasuredPages.CauseCount] {
    PageAccount.Cause.allCases.compactMap { cause in
      let pages = differences.filter { $0.cause == cause }
      guard !pages.isEmpty else { return nil }
      let executed = pages.count(where: \.isExecuted)
      return MeasuredPages.CauseCount(
        cause: cause, onlyPredicted: pages.count - executed, onlyExecuted: executed)
    }
  }

  /// - Parameter image: the image as it was measured.
  package init(_ source: MeasuredPages.Source, account: PageAccount, image: PagesDocument.Image) {
    let data = DataPages(of: image).rows
    self.init(
      source, pageSize: account.pageSize,
      counts: account.counts.map {
        MeasuredPages.Count(
          pageSize: $0.pageSize, predicted: $0.predicted, measured: $0.executed)
      },
      differences: account.differences.map {
        MeasuredPages.Difference(
          address: $0.page, isExecuted: $0.wasExecuted, cause: $0.cause, function: $0.function)
      },
      pagesRead: MeasuredPages.PagesRead(
        predicted: account.pagesRead.predicted, measured: account.pagesRead.measured),
      data: data.isEmpty ? nil : data, countsLoading: image.loading != nil)
  }
}
