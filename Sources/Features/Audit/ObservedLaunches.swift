// What traces show about the images of an audit: which of them were loaded, when their initializers ran, and how many
// of their functions ran. A trace has only the images that it recorded. It shows nothing about other images, not even
// whether they were loaded.

import Addresses
import CommandSupport
import ImageModel
import TraceSymbolication

struct ObservedLaunches {
  private typealias Nanoseconds = UInt64

  /// The functions and times that one trace recorded of one image.
  private struct Recorded {
    var trace: Int
    /// The number of functions that could be recorded.
    var functions: Int
    var used: Set<UInt64> = []
    /// The time of the first hit at an address, by the address.
    var times: [StatedAddress: Nanoseconds] = [:]
    /// Whether a function that was not recorded did not run.
    var isComplete: Bool
    var firstUse: UInt64?
  }

  private(set) var warnings: [Diagnostic] = []
  private(set) var count = 0
  /// The recordings of each image, by the number of the image in the audit.
  private var recorded: [Int: [Recorded]] = [:]
  /// The images of traces that are not in the audit, by path, ascending.
  private(set) var others: [(path: String, firstUse: UInt64?)] = []
  private var otherPaths: Set<String> = []

  /// - Parameter given: the path of the image that was given, whose number is 0.
  /// - Throws: if a trace can't be read.
  init(_ paths: [String], of images: LaunchedImages, given: String) throws(Diagnostic) {
    for path in paths { add(Trace(try InputFile.trace(path), path: path), images, given) }
    others.sort { $0.path < $1.path }
  }

  private mutating func add(_ trace: Trace, _ images: LaunchedImages, _ given: String) {
    let matches = trace.images.map {
      images.match(ImageReference(path: $0.path, id: $0.id?.description))
    }
    if !matches.contains(.image(0)), !matches.contains(.anotherBuild(0)),
      ImageReference(path: trace.program).name != ImageReference(path: given).name
    {
      warnings.append(
        Diagnostic(
          "this trace is of \(trace.program), and has nothing of \(given): the libraries in it may belong to another program",
          context: [trace.path]))
    }
    var firstUses = [UInt64?](repeating: nil, count: trace.images.count)
    var found = trace.images.map {
      Recorded(
        trace: count, functions: Self.recordableFunctions(of: $0),
        isComplete: trace.method.recordsEveryFunction
          || $0.recordable?.portion.reaches(RecordableCode.warningShare) ?? false)
    }
    let named = RecordedImage.all(namesOf: trace)
    for hit in trace.hits {
      // A hit of a basic block's own guard is a use of the block's function.
      let start = hit.entry.map { named[hit.image].bodyStart(holding: $0) ?? $0 }
      found[hit.image].used.insert(start?.rawValue ?? UInt64(hit.guardIndex ?? 0))
      guard let time = hit.nanoseconds else { continue }
      firstUses[hit.image] = min(firstUses[hit.image] ?? time, time)
      guard let entry = hit.entry else { continue }
      found[hit.image].times[entry] = min(found[hit.image].times[entry] ?? time, time)
    }
    for (number, image) in trace.images.enumerated() {
      switch matches[number] {
      case .anotherBuild:
        warnings.append(
          Diagnostic(
            "this trace is of another build of \(image.path), so hits in that image are not used",
            context: [trace.path]))
      case .image(let place):
        found[number].firstUse = firstUses[number]
        recorded[place, default: []].append(found[number])
      case .unknown:
        if otherPaths.insert(image.path).inserted {
          others.append((image.path, firstUses[number]))
        }
      }
    }
    count += 1
  }

  /// Returns how many functions of `image` could be recorded. An image may have more guards than functions.
  private static func recordableFunctions(of image: TraceImage) -> Int {
    guard let code = image.recordable, code.means == .callback else { return image.guardCount }
    return min(image.guardCount, Int(clamping: code.functions.recordable))
  }

  /// Whether a trace recorded the image, so that it was loaded.
  func hasLoaded(_ image: Int) -> Bool { recorded[image] != nil }

  /// When a function of the image first ran, since the process started; `nil` if no trace shows it.
  func firstUse(of image: Int) -> UInt64? {
    (recorded[image] ?? []).compactMap(\.firstUse).min()
  }

  /// The number of functions of the image that could be recorded, and the number of functions that ran; `nil` if no
  /// trace could have recorded any.
  func use(of image: Int) -> (functions: Int, used: Int)? {
    let covering = (recorded[image] ?? []).filter { $0.functions > 0 }
    guard let functions = covering.map(\.functions).max() else { return nil }
    return (functions, covering.reduce(into: Set<UInt64>()) { $0.formUnion($1.used) }.count)
  }

  /// The addresses of the image at which a function began to run; `nil` if a function that is not among them may have
  /// run.
  func startedFunctions(of image: Int) -> Set<StatedAddress>? {
    let all = recorded[image] ?? []
    guard !all.isEmpty, all.allSatisfy(\.isComplete) else { return nil }
    return all.reduce(into: []) { found, one in
      found.formUnion(one.used.map { StatedAddress(rawValue: $0) })
    }
  }

  /// Adds to initializers the times from the first trace that has times of initializers.
  ///
  /// - Parameters:
  ///   - initializers: each with the number of its image.
  ///   - mains: the addresses of `main` in the image that was given, whose number is 0.
  func addTimes(
    to initializers: inout [AuditedInitializer], images: [Int], mains: [StatedAddress]
  ) {
    for trace in 0..<count {
      func time(_ image: Int, _ address: StatedAddress?) -> UInt64? {
        guard let address else { return nil }
        return (recorded[image] ?? []).first { $0.trace == trace }?.times[address]
      }
      let starts = initializers.indices.map { time(images[$0], initializers[$0].address) }
      guard starts.contains(where: { $0 != nil }) else { continue }
      let events = (starts + mains.map { time(0, $0) }).compactMap { $0 }.sorted()
      for (index, start) in starts.enumerated() {
        guard let start else { continue }
        initializers[index].startNanoseconds = start
        let next = events.partitioningIndex { $0 > start }
        initializers[index].nanoseconds = next < events.count ? events[next] - start : nil
      }
      return
    }
  }
}
