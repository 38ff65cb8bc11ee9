import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The archives of a link map: how many functions of each archive ran, and the bytes and relocations that an image
/// without the archive would not have.
struct ArchiveUse {
  /// The archives, in the order of the first piece of each in the link map.
  private(set) var units: [ObservedUse.Unit] = []
  private let contributions: LinkMapContributions
  /// For each piece of the link map, the number of its archive in `units`.
  private var unitOfPiece: [Int?] = []

  /// - Parameter image: the image that the link map is for; sections that the file does not contain, such as `.bss`, do
  ///   not count as bytes.
  /// - Complexity: O(*p* × *s*) for *p* pieces and *s* segments.
  init(_ contributions: LinkMapContributions, of image: MappedImage) {
    self.contributions = contributions
    let stored = image.storedRanges
    var places: [SymbolName: Int] = [:]
    for piece in contributions.pieces {
      guard let archive = LinkMapContributions.archive(of: piece.file) else {
        unitOfPiece.append(nil)
        continue
      }
      let place = places[archive] ?? units.count
      if place == units.count {
        places[archive] = place
        units.append(
          ObservedUse.Unit(
            kind: .archive, name: archive, functions: 0, usedFunctions: 0, bytes: 0, relocations: 0)
        )
      }
      unitOfPiece.append(place)
      if stored.contains(where: { $0.contains(piece.range.start) }) {
        units[place].bytes = [units[place].bytes, piece.range.size].saturatingSum()
      }
    }
  }

  /// Counts the functions of each archive, and its functions that are among `started`.
  mutating func addFunctions(of layout: Layout, started: Set<StatedAddress>) {
    var last: StatedAddress?
    for function in layout.functions where function.address != last {
      last = function.address
      guard let unit = unit(at: function.address) else { continue }
      units[unit].functions += 1
      if started.contains(function.address) { units[unit].usedFunctions += 1 }
    }
  }

  /// Counts the words of each archive that the loader writes.
  ///
  /// - Throws: the error in a table; words that were read before the error are counted.
  mutating func addRelocations(of image: MappedImage) throws(ParseError) {
    var counts = [Int](repeating: 0, count: units.count)
    defer { for (unit, count) in counts.enumerated() { units[unit].relocations = count } }
    switch image {
    case .elf(let file):
      try file.forEachRelocatedWord { _, address in
        if let unit = unit(at: address) { counts[unit] += 1 }
      }
    case .machO(let file):
      try file.forEachFixup { if let unit = unit(at: $0.address) { counts[unit] += 1 } }
    }
  }

  private func unit(at address: StatedAddress) -> Int? {
    contributions.piece(at: address).flatMap { unitOfPiece[$0] }
  }
}

extension MappedImage {
  /// The addresses that the loader fills from the file.
  fileprivate var storedRanges: [AddressRange] {
    switch self {
    case .elf(let file):
      file.segments.filter { $0.type == .load }.map {
        AddressRange(start: $0.range.start, size: $0.fileSize)
      }
    case .machO(let file):
      file.segments.map { AddressRange(start: $0.range.start, size: $0.fileSize) }
    }
  }
}
