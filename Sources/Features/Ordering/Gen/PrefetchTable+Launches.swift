import Addresses
import CommandSupport
import ImageModel
import ObjectFormat
import OrderFileMatching
import Symbolication

extension ReleaseLayout {
  /// Returns the constants and variables that `launches` touched, as ranges of the build that is linked with the order.
  ///
  /// The order of functions moves no data. The order of data moves the listed data to the start of their section.
  ///
  /// - Parameter order: the order of the data; `nil` if the data stay where they are.
  /// - Returns: an empty table if nothing was touched, or if only a link map was given.
  /// - Throws: the error in the image; `mismatch` as `ResolvedData`.
  func prefetchedData(
    of launches: [LaunchData], _ order: DataOrder?
  ) throws(Diagnostic) -> PrefetchTable {
    guard !launches.isEmpty, let bytes else { return PrefetchTable() }
    do {
      guard case .elf(let file) = try ObjectFile(parsing: bytes) else { return PrefetchTable() }
      let resolved = try order?.resolved ?? resolvedData(of: launches)
      return resolved.table(in: file, order?.moves ?? [])
    } catch let error as Diagnostic { throw error } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  private func resolvedData(of launches: [LaunchData]) throws -> ResolvedData {
    guard let data = try dataLayout() else {
      throw Diagnostic("expected a linked image", context: [path])
    }
    var resolved = ResolvedData(data: data, release: self)
    for launch in launches { try resolved.add(launch) }
    return resolved
  }
}

extension ResolvedData {
  fileprivate func table(
    in file: ELFFile, _ moves: [(body: AddressRange, start: StatedAddress)]
  ) -> PrefetchTable {
    let size = PageSize.fourKibibytes
    let moves = moves.sorted { $0.body.start < $1.body.start }
    let touched = places.flatMap { bytes -> [StatedAddress] in
      // An order of functions moves the data between them.
      let code = release.layout.section(containing: bytes.start)
      guard code.map({ release.layout.sections[$0].isExecutable }) != true else { return [] }
      // Launches touch only a few pages of a large table, so each datum counts with its first page.
      let last = bytes.start.advanced(by: min(max(bytes.size, 1), size.bytes) - 1)
      let staying = [bytes.start, last ?? bytes.start]
      // The linker moves listed data only if they have an input section of their own, which an image does not show. So
      // both places count.
      let next = moves.partitioningIndex { $0.body.start > bytes.start }
      guard next > 0, moves[next - 1].body.contains(bytes.start) else { return staying }
      let (body, start) = moves[next - 1]
      return staying + staying.compactMap { start.advanced(by: $0.rawValue - body.start.rawValue) }
    }
    return PrefetchTable(touched: touched, in: file) { page in
      let words = data.relocatedWords
      let first = words.partitioningIndex { size.page(of: $0) >= page }
      return first < words.count && size.page(of: words[first]) == page
    }
  }
}
