import Addresses
import ByteReading
import ImageModel
import LinkMapFormat
import Reporting
import Symbolication

/// Initializers by name, object file, size and pages: what is known of the functions at their addresses.
struct NamedInitializers {
  private let layout: Layout
  private let origins: FunctionOrigins?
  private let contributions: LinkMapContributions?
  /// Ascending by address: what describes the stack for exceptions has the sizes of functions without a symbol, too.
  private let frames: [AddressRange]
  private let pageSize: PageSize

  /// - Parameters:
  ///   - contributions: what a link map of the image says; `nil` without one.
  ///   - frames: the ranges of functions by their frame descriptions, ascending.
  init(
    _ layout: Layout, _ origins: FunctionOrigins?, _ contributions: LinkMapContributions?,
    frames: [AddressRange], _ pageSize: PageSize
  ) {
    self.frames = frames
    self.layout = layout
    self.origins = origins
    self.contributions = contributions
    self.pageSize = pageSize
  }

  func auditedInitializers(of work: LoaderWork, in image: SymbolName) -> [AuditedInitializer] {
    work.initializers.enumerated().map { place, found in
      var initializer = AuditedInitializer(
        image: image, kind: found.kind, address: found.address)
      if let address = found.address { describe(&initializer, at: address) }
      if let name = work.initializerNames[place] { initializer.name = initializer.name ?? name }
      guard let name = initializer.name else { return initializer }
      let (origin, file) = InitializerNames.origin(of: name, in: layout.imageFormat)
      initializer.origin = origin
      initializer.objectFile = initializer.objectFile ?? file
      return initializer
    }
  }

  private func describe(_ initializer: inout AuditedInitializer, at address: StatedAddress) {
    let aliases = layout.functions(at: address)
    let size = aliases.compactMap { layout.functions[$0].size }.max() ?? frameSize(at: address)
    initializer.size = size
    initializer.pages = pageSize.pages(of: AddressRange(start: address, size: size ?? 1)).count
    // A global name says more than a local one of the same address; else the first.
    let named = aliases.filter { !layout.name(of: layout.functions[$0]).bytes.isEmpty }
    let best = named.first { !layout.functions[$0].isLocal } ?? named.first
    initializer.name = best.map { layout.name(of: layout.functions[$0]) }
    initializer.objectFile =
      contributions?.file(at: address)
      ?? named.lazy.compactMap { origins?.file(ofFunction: $0) }.first
  }

  private func frameSize(at address: StatedAddress) -> UInt64? {
    let next = frames.partitioningIndex { $0.start >= address }
    guard next < frames.count, frames[next].start == address, frames[next].size > 0 else {
      return nil
    }
    return frames[next].size
  }
}
