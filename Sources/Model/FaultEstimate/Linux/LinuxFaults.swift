import Addresses
import ImageModel

/// The predicted actions of Linux for a launch, on the text of one image.
package struct LinuxFaults: Hashable, Sendable {
  /// The minor faults of a launch with the file in memory, for each page offset that the loader can give the image
  /// within a fault-around window; one number for an image that is not position-independent.
  package let warmFaults: [Int]
  /// The faults of a launch with nothing in memory, one element for each kind of read-ahead.
  package let cold: [Cold]

  package struct Cold: Hashable, Sendable {
    package var readAhead: LinuxKernel.ReadAhead
    package var majorFaults: Int
    package var minorFaults: Int
    package var pagesRead: Int
  }

  /// The largest number of bytes of code that is simulated. Linkers produce less; larger values come from a corrupt
  /// file, and would give too many pages.
  private static let mostBytes: UInt64 = 4 << 30

  package init(warmFaults: [Int], cold: [Cold]) {
    self.warmFaults = warmFaults
    self.cold = cold
  }

  /// Simulates a kernel over the first touches of a launch.
  ///
  /// - Parameters:
  ///   - kernel: both kinds of `readAhead` are simulated.
  ///   - pageCount: the number of pages that `launch` touches.
  /// - Returns: `nil` for formats other than ELF, and beyond 4 GiB of code.
  /// - Complexity: O(*w* *r*) for *r* ranges of pages that are touched one after the other, and windows of *w* pages.
  static func simulating(
    _ launch: LaunchTouches, _ facts: LaunchFacts, _ kernel: LinuxKernel, pageSize: PageSize,
    pageCount: Int
  ) -> LinuxFaults? {
    guard launch.imageFormat == .elf, UInt64(pageCount) <= mostBytes / pageSize.bytes else {
      return nil
    }
    let mappings = facts.executableMappings
    let size = mappings.reduce(UInt64(0)) { $0 &+ $1.range.size }
    guard size <= mostBytes, !mappings.isEmpty,
      mappings.allSatisfy({ $0.offset.rawValue < 1 << 60 && $0.range.size <= mostBytes })
    else { return nil }
    let fileRanges = mappings.map { LinuxMapping($0, pageSize, slidePages: 0).filePages }.sorted {
      $0.lowerBound < $1.lowerBound
    }
    // Long runs are not simulated page by page. The result is right only if no other mapping reads
    // pages of the run.
    guard
      pageCount < 1 << 16
        || zip(fileRanges, fileRanges.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound + 1 }
        )
    else { return nil }
    // The part of the file after the code is not known here. No fault on code reaches it.
    let fileBytes =
      mappings.map { $0.offset.rawValue &+ $0.range.size }.max().map { $0 / pageSize.bytes + 1 }
      .map { $0 * pageSize.bytes } ?? 0

    func play(_ kernel: LinuxKernel, slidePages: UInt64, isWarm: Bool) -> LinuxFaultModel {
      var model = LinuxFaultModel(
        kernel, pageSize: pageSize, fileBytes: fileBytes, isWarm: isWarm)
      if !isWarm { model.readHeader() }
      let mappings = mappings.map { LinuxMapping($0, pageSize, slidePages: slidePages) }
      var unpainted = UnpaintedPages(of: launch.ranges.map { pageSize.pages(of: $0.bytes) })
      for range in launch.ranges {
        unpainted.paint(pageSize.pages(of: range.bytes)) { newPages in
          var next = newPages.lowerBound.loaded(slidePages: slidePages)
          let end = newPages.upperBound.loaded(slidePages: slidePages)
          while next < end {
            // Mappings of an image should not overlap. If some do, the first one counts.
            let mapping = mappings.first { $0.pages.contains(next) }
            let borders = mappings.flatMap { [$0.pages.lowerBound, $0.pages.upperBound] }
            let border = borders.filter { $0 > next }.min().map { min($0, end) } ?? end
            if let mapping { model.touch(next..<border, in: mapping) }
            next = border
          }
        }
      }
      return model
    }
    let places =
      facts.isPositionIndependent ? max(1, kernel.faultAroundBytes / pageSize.bytes) : 1
    return LinuxFaults(
      warmFaults: (0..<min(places, 1024)).map {
        play(kernel, slidePages: $0, isWarm: true).minorFaults
      },
      cold: LinuxKernel.ReadAhead.allCases.map { readAhead in
        var kernel = kernel
        kernel.readAhead = readAhead
        let model = play(kernel, slidePages: 0, isWarm: false)
        let text = mappings.map { LinuxMapping($0, pageSize, slidePages: 0).filePages }
        return Cold(
          readAhead: readAhead, majorFaults: model.majorFaults, minorFaults: model.minorFaults,
          pagesRead: model.pagesInMemory.count { page in text.contains { $0.contains(page) } }
            + Int(model.pagesOfRuns))
      })
  }
}

extension LinuxMapping {
  /// Makes the mapping as the kernel does: in whole pages.
  init(_ mapping: FileMapping, _ pageSize: PageSize, slidePages: UInt64) {
    let pages = pageSize.pages(of: mapping.range)
    let first = pages.lowerBound.loaded(slidePages: slidePages)
    self.init(
      pages: first..<first + UInt64(pages.count), firstFilePage: pageSize.page(of: mapping.offset))
  }
}

extension StatedPage {
  /// Returns the page at which the loader puts this stated page.
  fileprivate func loaded(slidePages: UInt64) -> LoadedPage {
    LoadedPage(rawValue: rawValue + slidePages)
  }
}
