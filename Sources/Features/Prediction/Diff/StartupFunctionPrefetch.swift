import ByteReading
import CommandSupport
import ImageModel
import JSON
import OrderFileMatching
import PagesFormat
import Rendering

/// The pages that an image prefetches when it starts (`gen --prefetch`), and how many startup functions are not on these
/// pages. `TouchedPagePrefetch` counts pages that a launch touched, and not functions of traces.
package struct StartupFunctionPrefetch: Hashable, Sendable {
  /// The number of pages of code, and of constants and variables, that the image prefetches. Pages have 4 KiB.
  package var codePages: Int
  package var dataPages: Int
  /// The number of startup functions, and how many of these are not entirely on prefetched pages.
  package var functions: Int
  package var outside: Int
  /// The pages that a measured launch touched; `nil` if no measured launch of the image was given.
  package var touches: TouchedPagePrefetch?

  package init(
    codePages: Int, dataPages: Int, functions: Int, outside: Int,
    touches: TouchedPagePrefetch? = nil
  ) {
    self.codePages = codePages
    self.dataPages = dataPages
    self.functions = functions
    self.outside = outside
    self.touches = touches
  }

  /// - Parameters:
  ///   - startup: the startup functions.
  ///   - measured: the touched pages of a launch of the same build; `nil` without a measured launch.
  ///   - bytes: the image.
  /// - Returns: `nil` if the image prefetches nothing.
  init?(
    of startup: [PlacedFunction], measured: PagesDocument.Image?, in bytes: FileBytes
  ) {
    guard let region = PrefetchedPages(of: bytes) else { return nil }
    self.init(
      codePages: region.codePages, dataPages: region.dataPages, functions: startup.count,
      outside: startup.count { function in
        let last = function.address.advanced(by: max(function.bytes, 1) - 1)
        return !region.contains(function.address)
          || !region.contains(last ?? function.address)
      }, touches: measured.flatMap { TouchedPagePrefetch(of: $0, in: bytes) })
  }

  /// The lines of the text report.
  package var text: String {
    let share = Percentage.share(outside, of: functions)
    var text =
      TouchedPagePrefetch.text(
        codePages: codePages, dataPages: dataPages,
        outside: "\(outside) of \(counted(functions, "startup function")) (\(share))") + "\n"
    if let touches { text += "  measured: not prefetched are \(touches.outsideText)\n" }
    return text
  }
}

extension StartupFunctionPrefetch: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, countMember("codePages", \.codePages), countMember("dataPages", \.dataPages),
    countMember("functions", \.functions), countMember("outside", \.outside),
    optionalMember("touches", \.touches))
}
