import CommandSupport
import PagesFormat

/// The summary of the launches whose pages are counted.
package struct PagesSummary {
  package private(set) var summary: LaunchSummary
  /// The touches of all required launches, for each group of the summary; `nil` before the first required launch.
  private var touches: [PagesDocument.Image?] = []

  /// - Parameter launches: the launches of a file, at least one.
  package init(of launches: [DescribedLaunch]) {
    summary = LaunchSummary(.pages, of: launches)
  }

  package mutating func add(_ launch: DescribedLaunch, _ document: PagesDocument) {
    for image in document.images {
      let group = summary.add(launch, .image(image.image), Self.figures(of: image))
      if group == touches.count { touches.append(nil) }
      guard launch.isRequired else { continue }
      var all = touches[group] ?? image
      if touches[group] != nil { all.pages += image.pages }
      touches[group] = all
      summary.setUnion(Self.figures(of: all), ofGroup: group)
    }
  }

  /// Returns the values of the figures of `LaunchSummary.Command.pages`.
  private static func figures(of image: PagesDocument.Image) -> [UInt64?] {
    let counts =
      PagesDocument.pageSizes.map { image.textCount(executed: true, $0) }
      + [image.count(of: .readOnly), image.count(of: .data)]
    return counts.map { UInt64($0) }
  }
}
