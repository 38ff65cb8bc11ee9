import ByteReading
import ImageModel
import OrderFileFormat

extension OrderFile {
  /// A build that was linked with an order file.
  package struct Build {
    /// The file name of the image.
    package let name: String
    package let layout: Layout
    package let architecture: Architecture?

    /// - Parameter architecture: `nil` for the first architecture that the file names.
    package init(_ name: String, _ layout: Layout, _ architecture: Architecture?) {
      self.name = name
      self.layout = layout
      self.architecture = architecture
    }
  }

  /// Returns the part of this file that the links of `builds` have to follow, if the file has the orders of several images,
  /// each under its title. The part has the order of each build. It also has the entries of other orders that are in a build,
  /// because the linker follows them, too. Each name counts once.
  ///
  /// The order of a build is the order with the name of its image. If no order has this name, it is the order with the most
  /// entries that are in the build. A file with the order of one image is returned as it is.
  ///
  /// - Returns: the part, and the number of entries for other images.
  /// - Complexity: O(*n* + *e*) for *n* functions of all builds and *e* entries, on average.
  package func orders(of builds: [Build]) -> (order: OrderFile, others: Int) {
    let images = lines.map { image(ofLine: $0) }
    guard Set(listings.map(\.image)).count > 1 else { return (self, 0) }
    let keys = entries.map { LineKey($0, dialect) }
    var isInBuild = [Bool](repeating: false, count: entries.count)
    var own: Set<String> = []
    for build in builds {
      let found = Set(presentEntries(in: build).map { keys[$0] })
      let present = entries.indices.filter { found.contains(keys[$0]) }
      for entry in present { isInBuild[entry] = true }
      own.insert(name(of: build, images, present: present))
    }
    func isOwn(_ image: String?) -> Bool { image.map { own.contains($0) } ?? true }
    let followed = entries.indices.filter { isInBuild[$0] || isOwn(images[$0]) }
    var counting: [LineKey: Int] = [:]
    for entry in dialect.lastDuplicateWins ? followed.reversed() : followed {
      if counting[keys[entry]] == nil { counting[keys[entry]] = entry }
    }
    let kept = keeping { entry, line in
      guard let entry else { return isOwn(image(ofLine: line)) }
      guard isInBuild[entry] || isOwn(images[entry]),
        let first = counting[keys[entry]]
      else { return false }
      // An equal entry in the order of another image is no mistake.
      return first == entry || images[first] == images[entry]
    }
    // Several candidate sections of a function count as one entry.
    let others = entries.indices.filter { !isInBuild[$0] && !isOwn(images[$0]) }
    return (kept, Set(others.map { entries[$0].shownName }).count)
  }

  /// The lines of this file that are for other images, each part with its title.
  ///
  /// - Parameters:
  ///   - own: the part of this file that `orders` has returned.
  ///   - bytes: the bytes from which this file was read.
  /// - Complexity: O(*n*) for *n* bytes.
  package func linesOfOthers(than own: OrderFile, in bytes: FileBytes) -> [UInt8] {
    let ownLines = Set(own.comments.map(\.line))
    var others: [UInt8] = []
    var lines = LineScanner(bytes)
    var next = listings[...]
    var isOther = false
    while let line = lines.next() {
      if let listing = next.first, listing.line == lines.lineNumber {
        isOther = !ownLines.contains(listing.line)
        next.removeFirst()
      }
      if isOther { others += bytes.copy(line) + [UInt8(ascii: "\n")] }
    }
    return others
  }

  /// The entries that move something of `build`, or name its data.
  private func presentEntries(in build: Build) -> [Int] {
    let ordered = OrderedSymbols(self, in: build.layout, architecture: build.architecture)
    return (ordered.symbols.filter { $0.reasonIfMissing == nil } + ordered.data).flatMap(\.entries)
  }

  /// Returns the name of the image whose order `build` follows.
  ///
  /// - Parameters:
  ///   - images: the image of each entry.
  ///   - present: the entries that are in the build.
  private func name(of build: Build, _ images: [String?], present: [Int]) -> String {
    if listings.contains(where: { $0.image == build.name }) { return build.name }
    var counts: [String: Int] = [:]
    for image in present.compactMap({ images[$0] }) { counts[image, default: 0] += 1 }
    var most = listings[0].image
    for listing in listings where counts[listing.image, default: 0] > counts[most, default: 0] {
      most = listing.image
    }
    return most
  }
}
