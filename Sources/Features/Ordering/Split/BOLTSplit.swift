// Splitting functions of a linked image: llvm-bolt moves the blocks of a program that was linked with --emit-relocs.
//
// BOLT makes basic blocks of its own, so no map is needed: executed runs of instructions are enough. A profile is
// matched by names and offsets without any check, and a function whose name is not BOLT's is ignored without a message.
// So the names are made as BOLT makes them, and the printed command ends with a check that BOLT has found as many
// functions with a profile as the profile has. An image that BOLT may break is refused.

import Addresses
import ImageModel
import OrderFileFormat
import Rendering
import Symbolication

extension SplitFormat {
  /// The format of the profiles that llvm-bolt 19 to 22 reads.
  package static let bolt = SplitFormat(
    name: "bolt", isForLinker: false, use: { "order it with llvm-bolt --data=\($0)" },
    write: splitByBOLT)
}

@Sendable private func splitByBOLT(_ request: SplitRequest) throws(Diagnostic) -> SplitOrder {
  let path = request.release.path
  let image = try request.release.boltImage()
  if let obstacle = image.obstacle(at: path) { throw obstacle }
  guard !request.executed.hasOtherBuilds else {
    throw Diagnostic(
      "a trace is of another build: without a map of basic blocks only the recorded image can be split",
      context: [path], hint: "record this image", severity: .mismatch)
  }
  guard !request.executed.isEmpty else {
    throw Diagnostic(
      "missing basic blocks: the traces recorded functions only", context: [path],
      hint: "record with 'orderfile record --qemu', or with '--breakpoints --blocks'",
      severity: .nothingRecorded)
  }
  let layout = request.release.layout
  let ranges = request.executed.ranges
  var functions: [BOLTProfile.Function] = []
  var summary = SplitSummary()
  summary.otherBuilds = request.executed.findings.counts
  var seen: Set<StatedAddress> = []
  var parts: [Part] = []
  for part in request.order {
    let function = layout.functions[part.function]
    guard seen.insert(function.address).inserted else { continue }
    let size = layout.byteCount(of: Part(part.function))
    let body = AddressRange(
      start: function.address, size: size > 0 ? size : layout.room(at: function))
    guard let name = image.name(of: function.address) else {
      summary.leftWhole.append(
        NameWithReason(
          name: layout.name(of: function), reason: "BOLT has no name for this function"))
      continue
    }
    var executed = ranges.inside(body)
    if let reason = request.executed.findings.reasonToStayWhole(at: function.address) {
      summary.leftWhole.append(NameWithReason(name: layout.name(of: function), reason: reason))
      executed = []
    }
    // The function was recorded without blocks, or in another build with other blocks: all of it counts.
    if executed.isEmpty { executed = [FunctionBlock(offset: 0, size: max(size, 1))] }
    executed = SplitGap.filled(executed, upTo: size)
    functions.append(BOLTProfile.Function(name: name, executed: executed))
    parts.append(Part(part.function, blocks: executed))
    let ran = FunctionBlock.bytes(in: executed, upTo: size)
    summary.hotBytes += ran
    summary.coldBytes += size - ran
    if ran < size { summary.functions += 1 }
  }
  let profile = BOLTProfile(functions, step: image.smallestInstruction)
  let program = boltPrograms.first { (try? request.environment.program(named: $0)) != nil }
  return SplitOrder(
    profile: profile.samples, parts: parts, splitOff: [], summary: summary,
    orderFile: SplitOrder.OwnOrderFile(bytes: profile.order, entries: profile.count) {
      image.command(
        program ?? boltPrograms[0], for: path, order: $0, samples: $1, functionCount: profile.count)
    },
    warnings: program == nil
      ? [
        Diagnostic(
          "missing '\(boltPrograms[0])' on PATH, which the next command needs",
          hint: "install Debian's package bolt-19 or bolt-22")
      ] : [])
}

/// The names under which BOLT is installed: the name without a version, and then the supported versions, the latest
/// first.
private let boltPrograms = ["llvm-bolt"] + (19...22).reversed().map { "llvm-bolt-\($0)" }

extension Layout {
  /// The number of bytes from a function of unknown size, such as one from assembly, to the next function or the end of
  /// its section.
  fileprivate func room(at function: PlacedSymbol) -> UInt64 {
    let next = functions(at: function.address).upperBound
    let end = sections[Int(function.section)].range.end
    let limit = next < functions.count ? min(functions[next].address, end) : end
    return limit > function.address ? limit.rawValue - function.address.rawValue : 0
  }
}

extension [AddressRange] {
  /// The ascending ranges that begin inside `body`, relative to its start. A range that reaches beyond the end of
  /// `body` is cut there.
  fileprivate func inside(_ body: AddressRange) -> [FunctionBlock] {
    var blocks: [FunctionBlock] = []
    for range in self[partitioningIndex { $0.start >= body.start }...] {
      guard range.start < body.end else { break }
      let offset = range.start.rawValue - body.start.rawValue
      blocks.append(FunctionBlock(offset: offset, size: Swift.min(range.size, body.size - offset)))
    }
    return blocks
  }
}

extension BOLTImage {
  /// Why BOLT must not order the image; `nil` if BOLT can order it.
  fileprivate func obstacle(at path: String) -> Diagnostic? {
    if isOutput {
      return Diagnostic(
        "unable to order with BOLT: this image is the output of BOLT", context: [path],
        hint: "give the image that llvm-bolt read, and record a launch of that image")
    }
    guard hasRelocations else {
      return Diagnostic(
        "missing relocations: without relocations of the code, BOLT can't move functions",
        context: [path],
        hint: "link with -Wl,--emit-relocs, and record a launch of the new image")
    }
    if isSwift {
      return Diagnostic(
        "unable to order with BOLT: BOLT may break references in the metadata of Swift code",
        context: [path], hint: "split the functions when they are compiled: docs/how-to/BLOCKS.md")
    }
    guard let name = splitFunction else { return nil }
    return Diagnostic(
      "unable to order with BOLT: the compiler has split functions already, such as '\(name)'",
      context: [path], hint: "compile with -fno-reorder-blocks-and-partition")
  }

  /// The commands that make the ordered image and check that BOLT has found all functions of the profile: the functions
  /// that it optimizes, and the functions that it can't optimize.
  fileprivate func command(
    _ program: String, for path: String, order: String, samples: String, functionCount: Int
  ) -> String {
    var words = [
      program, path, "-o", "\(path).bolt", "--data=\(samples)", "--reorder-functions=user",
      "--function-order=\(order)", "--split-functions", "--split-all-cold",
      "--reorder-blocks=none", "--no-huge-pages", "--align-text=4096",
    ]
    if hasDebugInformation { words.append("--update-debug-sections") }
    let log = shellWord("\(path).bolt.log")
    return words.map(shellWord).joined(separator: " ")
      + " >\(log) && awk '/ out of .* execution profile| could not be optimized/ { n += $2 } "
      + "END { if (n < \(functionCount)) { print \"BOLT found\", n + 0, \"of \(functionCount) functions\" "
      + ">\"/dev/stderr\"; exit 1 } }' \(log)"
  }
}
