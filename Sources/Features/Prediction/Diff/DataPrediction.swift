// The pages of data that launches are predicted to touch
//
// A trace of a build that reports loads and stores has each granule of data that code of this build touched. In a
// layout of the recorded build, the granules have the recorded addresses. In another layout, `RecordedData` finds their
// addresses. The pages that the loader writes to follow from each layout alone. They are known only for ELF images. For
// ELF images it is also known that the kernel clears the rest of the page on which zero-filled data begin.

import Addresses
import ByteReading
import CommandSupport
import FaultEstimate
import ImageModel
import Symbolication
import TraceSymbolication

/// The data that launches touched in the recorded builds.
struct TouchedGranules {
  private var images: [TraceImage] = []
  private var touches: [[DataTouch]] = []

  /// Adds the touches of one launch.
  mutating func append(_ launch: RecordedFunctions) {
    guard !launch.dataUses.isEmpty else { return }
    let index =
      images.firstIndex { $0.id == launch.image.id && $0.path == launch.image.path }
      ?? images.count
    if index == images.count {
      images.append(launch.image)
      touches.append([])
    }
    touches[index] += launch.dataUses.map(\.touch)
  }

  var isEmpty: Bool { images.isEmpty }

  /// The touched ranges of each recorded image: each granule once, in the order of first touches.
  var ranges: [(image: TraceImage, touched: [AddressRange])] {
    zip(images, touches).map { image, touches in
      (image, DataTouch.first(of: touches).map(\.bytes))
    }
  }
}

/// The predicted pages of data in both layouts.
struct DataPrediction {
  private let before: Side
  private let after: Side

  /// The prediction for one layout.
  private struct Side {
    let data: DataLayout
    let estimate: DataPageEstimate
    /// The number of touches whose place in the layout is unknown.
    let unknown: Int
  }

  /// - Returns: `nil` if no trace has touches of data.
  /// - Throws: the reason why nothing can be predicted.
  init?(
    _ touched: TouchedGranules, in layouts: PredictedLayouts, _ pageSize: PageSize,
    recordedBuild: @escaping (TraceImage) -> ReleaseLayout?
  ) throws(Diagnostic) {
    guard !touched.isEmpty else { return nil }
    var recorded = DataOfRecordedBuilds(build: recordedBuild)
    func side(_ release: ReleaseLayout) throws(Diagnostic) -> Side {
      guard let (data, bytes) = try release.readData() else {
        throw Diagnostic("a link map does not have the addresses of data", context: [release.path])
      }
      var places = RecordedData.Places()
      for (image, ranges) in touched.ranges {
        if image.id != nil, image.id == release.image?.id {
          places.found += ranges
        } else {
          let moved = try recorded.data(of: image).places(of: ranges, in: data, bytes)
          places.found += moved.found
          places.unknown += moved.unknown
        }
      }
      return Side(
        data: data, estimate: data.estimate(touched: places.found, pageSize),
        unknown: places.unknown)
    }
    before = try side(layouts.first)
    after = try side(layouts.last)
  }

  var document: DataPagesPrediction {
    let kinds = DataKind.allCases
    var names: [(kind: DataKind, name: SymbolName)] = []
    for side in [before, after] {
      for (section, kind) in zip(side.data.layout.sections, side.data.kinds)
      where !names.contains(where: { $0 == (kind, section.name) }) {
        names.append((kind, section.name))
      }
    }
    names.sort {
      (kinds.firstIndex(of: $0.kind) ?? 0, $0.name) < (kinds.firstIndex(of: $1.kind) ?? 0, $1.name)
    }
    let sections = names.map { kind, name in
      func count(_ side: Side, _ counts: (DataPageEstimate.Page) -> Bool) -> Int {
        side.estimate.pages.count {
          side.data.kinds[$0.section] == kind && side.data.layout.sections[$0.section].name == name
            && counts($0)
        }
      }
      return DataPagesPrediction.Section(
        name: name, kind: kind.rawValue, pages: both { count($0) { _ in true } },
        loaderPages: both { count($0, \.isLoaders) })
    }
    return DataPagesPrediction(
      sections: sections.filter { $0.pages.before + $0.pages.after > 0 },
      zeroFilledPages: both { $0.estimate.pages.count(where: \.isZeroFilled) },
      unplaced: both(\.unknown),
      pagesAtMost: both { side in
        let all = Set(
          side.data.layout.sections.filter { $0.range.size > 0 }.flatMap {
            side.estimate.pageSize.pages(of: $0.range)
          })
        let counted = side.estimate.pages.count
        return max(counted, min(counted + side.unknown, all.count))
      })
  }

  private func both(_ figure: (Side) -> Int) -> BeforeAfter<Int> {
    BeforeAfter(before: figure(before), after: figure(after))
  }

  /// Compares the prediction with the pages that a launch of one layout touched: the layout before, or the layout
  /// after.
  func account(before isBefore: Bool, _ measured: MeasuredImagePages) -> DataPageAccount {
    let side = isBefore ? before : after
    return DataPageAccount(
      of: side.estimate, in: side.data.layout, measured: measured.dataTouches)
  }
}

/// The data of the recorded builds, each read once.
private struct DataOfRecordedBuilds {
  let build: (TraceImage) -> ReleaseLayout?
  private var known: [String: RecordedData] = [:]

  init(build: @escaping (TraceImage) -> ReleaseLayout?) { self.build = build }

  /// - Throws: an error if the file of the image is gone or replaced.
  mutating func data(of image: TraceImage) throws(Diagnostic) -> RecordedData {
    let key = "\(image.id?.description ?? "") \(image.path)"
    if let data = known[key] { return data }
    guard let (data, bytes) = try build(image)?.readData() else {
      throw Diagnostic(
        "the recorded image is no longer at this path: give its new path with --recorded",
        context: [image.path])
    }
    let recorded = RecordedData(data, of: bytes)
    known[key] = recorded
    return recorded
  }
}

extension ReleaseLayout {
  /// Returns the data of the image, and its bytes; `nil` if only a link map was given.
  fileprivate func readData() throws(Diagnostic) -> (data: DataLayout, bytes: FileBytes)? {
    do {
      guard let bytes, let data = try dataLayout() else { return nil }
      return (data, bytes)
    } catch { throw Diagnostic("\(error)", context: [path]) }
  }
}

extension DataLayout {
  /// Returns the pages of data that the loader and a launch touch.
  fileprivate func estimate(touched: [AddressRange], _ pageSize: PageSize) -> DataPageEstimate {
    let zeroFilled = kinds.indices.filter { kinds[$0] == .zeroFilled }
    let cleared =
      layout.imageFormat == .elf
      ? zeroFilled.map { layout.sections[$0].range.start }.filter {
        $0.rawValue % PageSize.fourKibibytes.bytes != 0
      } : []
    return DataPageEstimate(
      of: layout, loaded: relocatedWords + cleared, touched: touched, zeroFilled: Set(zeroFilled),
      pageSize: pageSize)
  }
}
