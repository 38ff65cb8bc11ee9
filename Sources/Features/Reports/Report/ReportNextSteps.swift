import Counting
import ImageModel
import LaunchMeasurement
import Measuring
import PagesFormat
import Prediction

extension ReportInputs {
  /// Returns the steps of all documents.
  ///
  /// - Parameters:
  ///   - ofLayouts: the steps of the layouts or of the diff document. They know more about code than a count of pages.
  ///   - id: the ID of the last layout; `nil` if it is unknown, or without layouts.
  func nextSteps(ofLayouts: [NextStep], of id: String?) -> [NextStep] {
    let counted = pages.last { read in
      id == nil || read.document.images.contains { $0.id == id }
    }
    let ofPages = counted.map { PagesNextSteps($0.document).steps } ?? []
    guard !ofLayouts.isEmpty else {
      return NextStep.inSequence([check?.document.nextSteps ?? [], ofPages])
    }
    let isWaiting = waitsForFaults ?? true
    return NextStep.inSequence([
      ofLayouts.filter { $0.kind != .prefetch || isWaiting }, ofPages.filter { $0.kind == .advise },
    ])
  }

  /// Whether measured cold launches of the last build wait for several page faults; `nil` if none were measured. On a
  /// disk that reads far ahead, a launch does not wait, and prefetching gains nothing.
  private var waitsForFaults: Bool? {
    guard let cold = measure?.document.states.first(where: { $0.cache == .cold }),
      let side = cold.sides.last(where: { $0.name == "after" }) ?? cold.sides.last
    else { return nil }
    let faults = side.launches.map(\.majorFaults).sorted()
    return faults.isEmpty ? nil : faults[faults.count / 2] >= NextSteps.leastFaults
  }
}
