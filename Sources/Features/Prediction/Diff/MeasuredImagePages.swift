import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import PagesFormat
import Rendering

/// The pages of one image that a measured launch touched, from a document of `orderfile pages --json`.
package struct MeasuredImagePages {
  private let path: String
  private let document: PagesDocument
  let image: PagesDocument.Image
  private let touches: [PageTouch]

  /// The touched pages of all segments.
  var pages: [PagesDocument.Page] { image.pages }

  /// The touches of data by reading and writing. If the loading was counted, its touches come first.
  var dataTouches: [DataPageAccount.Touch] {
    ((image.loading ?? []) + image.pages).filter { $0.access != .execute }.map { row in
      let toucher: DataPageAccount.Toucher =
        switch row.accessor {
        case .relocation, .lookUp, .loader: .loader
        case .kernel: .kernel
        case .program, nil: row.instructionImage == nil ? .program : .library
        }
      return DataPageAccount.Touch(row.touched ?? row.address, by: toucher)
    }
  }

  /// - Parameters:
  ///   - path: the path of the document; `nil` makes the result `nil`.
  ///   - option: the option that named the document, for messages.
  /// - Throws: an error if `release` is a link map, since a measurement knows an image by its ID; `mismatch`
  ///   if the image is not in the document.
  package init?(_ path: String?, of release: ReleaseLayout, option: String) throws(Diagnostic) {
    guard let path else { return nil }
    self.path = path
    (document, image) = try PagesDocument.counted(path, of: release, option: option)
    touches = image.pages.filter { $0.segment == .text }.map {
      PageTouch(
        access: $0.access, page: $0.address, instruction: $0.instruction, step: $0.step)
    }
  }

  /// Warnings about the measured launch.
  package var warnings: [Diagnostic] {
    var warnings: [Diagnostic] = []
    switch document.end {
    case .exited(0): break
    case .exited(let status):
      warnings.append(
        Diagnostic("the measured launch ended with exit status \(status)", context: [path]))
    case .killed(let signal):
      warnings.append(
        Diagnostic("the measured launch was killed by signal \(signal)", context: [path]))
    }
    if !touches.contains(where: \.isExecution) {
      warnings.append(Diagnostic("no page of the image's code was executed", context: [path]))
    }
    return warnings
  }

  /// - Parameter pageSize: the page size of the account; documents state pages of 4 KiB or more.
  func side(
    _ estimate: PageFaultEstimate, _ layout: Layout, _ knowledge: PageAccount.Knowledge,
    pageSize: PageSize, data: DataPageAccount?
  ) -> MeasuredPages.Side {
    var side = MeasuredPages.Side(
      MeasuredPages.Source(path: path, method: document.method, command: document.command),
      account: PageAccount(
        of: estimate, in: layout, measured: touches, knowledge: knowledge,
        pageSize: pageSize.bytes < 4096 ? .fourKibibytes : pageSize), image: image)
    side.predictedData = data
    return side
  }
}
