import Addresses
import ByteReading
import ImageModel
import LinkMapFormat
import TraceSymbolication

/// Describes initializers and start-up tasks by the functions at their addresses: by name, object file, size and pages.
struct NamedInitializers {
  private let layout: Layout
  private let origins: FunctionOrigins?
  private let contributions: LinkMapContributions?
  /// The ranges of the image's functions, ascending by address, including functions without a symbol.
  private let ranges: [AddressRange]
  private let pageSize: PageSize

  /// - Parameters:
  ///   - contributions: what a link map of the image says; `nil` without one.
  ///   - ranges: the ranges of functions, ascending.
  init(
    _ layout: Layout, _ origins: FunctionOrigins?, _ contributions: LinkMapContributions?,
    ranges: [AddressRange], _ pageSize: PageSize
  ) {
    self.ranges = ranges
    self.layout = layout
    self.origins = origins
    self.contributions = contributions
    self.pageSize = pageSize
  }

  func auditedInitializers(of work: LoaderWork, in image: SymbolName) -> [AuditedInitializer] {
    work.initializers.enumerated().map { place, found in
      var initializer = AuditedInitializer(
        image: image, kind: found.kind, address: found.address)
      if let address = found.address {
        let function = function(at: address)
        initializer.name = function.name
        initializer.objectFile = function.objectFile
        initializer.size = function.size
        initializer.pages = function.size.map {
          pageSize.pages(of: AddressRange(start: address, size: $0)).count
        }
      }
      if let name = work.initializerNames[place] { initializer.name = initializer.name ?? name }
      guard let name = initializer.name else { return initializer }
      let (origin, file) = InitializerNames.origin(of: name, in: layout.imageFormat)
      initializer.origin = origin
      initializer.objectFile = initializer.objectFile ?? file
      return initializer
    }
  }

  func auditedTasks(of work: LoaderWork, in image: SymbolName) -> [AuditedTask] {
    work.tasks.map { found in
      var task = AuditedTask(found, of: image)
      guard let address = task.address else { return task }
      let function = function(at: address)
      task.function = function.name
      task.objectFile = function.objectFile
      return task
    }
  }

  /// Returns the function at `address`; each part is `nil` if it is unknown.
  private func function(
    at address: StatedAddress
  ) -> (name: SymbolName?, objectFile: SymbolName?, size: UInt64?) {
    let aliases = layout.functions(at: address)
    let size = aliases.compactMap { layout.functions[$0].size }.max() ?? rangeSize(at: address)
    // A global name says more than a local name of the same address. Without a global name, the first name counts.
    let named = aliases.filter { !layout.name(of: layout.functions[$0]).bytes.isEmpty }
    let best = named.first { !layout.functions[$0].isLocal } ?? named.first
    let objectFile =
      contributions?.file(at: address)
      ?? named.lazy.compactMap { origins?.file(ofFunction: $0, byNeighbors: true) }.first
    return (best.map { layout.name(of: layout.functions[$0]) }, objectFile, size)
  }

  private func rangeSize(at address: StatedAddress) -> UInt64? {
    let next = ranges.partitioningIndex { $0.start >= address }
    guard next < ranges.count, ranges[next].start == address, ranges[next].size > 0 else {
      return nil
    }
    return ranges[next].size
  }
}

extension MappedImage {
  /// The ranges of the image's functions, including functions without a symbol, ascending. An ELF image states them in
  /// its frame descriptions. In a Mach-O image, each function ends where the next function in `LC_FUNCTION_STARTS`
  /// begins. Tables that can't be read are left out.
  var functionRanges: [AddressRange] {
    switch self {
    case .elf(let file): return (try? file.frameRanges()) ?? []
    case .machO(let file):
      let starts = ((try? file.functionStarts()) ?? nil) ?? []
      return zip(starts, starts.dropFirst()).map {
        AddressRange(start: $0, size: $1.rawValue - $0.rawValue)
      }
    }
  }
}
