import ByteReading
import ImageModel
import OrderFileMatching
import PagesFormat
import Rendering

extension TouchedPagePrefetch {
  /// Compares the touched pages of `image` with the pages that the build in `bytes` prefetches. The caller has made
  /// sure that the touches are of this build.
  ///
  /// - Returns: `nil` if the build prefetches nothing.
  package init?(of image: PagesDocument.Image, in bytes: FileBytes) {
    guard let region = PrefetchedPages(of: bytes) else { return nil }
    self.init(
      of: image, codePages: region.codePages, dataPages: region.dataPages,
      isPrefetched: region.contains)
  }

  /// `8 of 150 touched pages of code (5.3%), and 3 of 32 touched pages of constants and variables (9.4%)`
  package var outsideText: String {
    let data =
      touchedData == 0
      ? ""
      : ", and \(outsideData) of \(counted(touchedData, "touched page")) of constants and variables "
        + "(\(Percentage.share(outsideData, of: touchedData)))"
    return "\(outsideCode) of \(counted(touchedCode, "touched page")) of code "
      + "(\(Percentage.share(outsideCode, of: touchedCode)))\(data)"
  }

  /// A line of a report: what the image prefetches, and what the launch used of other pages.
  package var text: String {
    Self.text(codePages: codePages, dataPages: dataPages, outside: outsideText)
  }

  /// The line of a report about the pages that the image prefetches, and the pages that it does not prefetch.
  package static func text(codePages: Int, dataPages: Int, outside: String) -> String {
    "prefetched: \(counted(codePages, "page")) of code, and \(dataPages) of constants and variables; "
      + "not prefetched: \(outside)"
  }
}
