// From the samples of perf to the functions of an image that a process used.
//
// A sample says where a thread is at that time: every function in its stack has run by then. So a function's place in
// the order is the place of its first sample in any thread, and callers precede the functions that they called. This is
// no order of first uses: what runs between two samples is missing, and a function that was called early but takes long
// only later is seen later. A sample every 0.1 ms sees functions that take time; it finds few of the functions that run
// once.
//
// Frames are known by image and symbol. Depending on version and options, perf prints the address in the process or the
// address in the file, so addresses are not used. perf prints no build ID, so the image is recognized by its file name.

import ByteReading
import ImageModel
import PerfScriptFormat
import Symbolication

/// The use of one image by one process, as perf sampled it.
package struct SampledLaunch: Sendable {
  package private(set) var launch: ImportedLaunch
  /// The number of samples of the process that have a frame in the image.
  package private(set) var sampleCount = 0
  /// The command of the process.
  package private(set) var command: [UInt8] = []
  /// Other processes that used the image; their samples are left out.
  package private(set) var otherProcesses: [UInt64] = []
  /// The number of frames in the image for which perf has no name.
  package private(set) var unnamedFrames = 0

  /// - Throws: a diagnostic with the path, if `script` is malformed; `mismatch` if no frame is in the image.
  /// - Complexity: O(*n* + *b*) for *n* bytes of samples and *b* in the names of the image.
  package init(
    _ script: PerfScript, path: String, of image: Image
  ) throws(Diagnostic) {
    launch = ImportedLaunch(image)
    var map = SymbolMap(image.layout)
    let bytes = script.bytes
    let imageName = leaf(Array(image.path.utf8)[...])
    var isOfImage: [NameKey: Bool] = [:]
    var seen: Set<NameKey> = []
    var found: (process: UInt64?, start: UInt64)?
    var others: Set<UInt64> = []
    var otherImages: Set<SymbolName> = []
    var start: UInt64?
    do throws(ParseError) {
      try script.forEachSample { sample in
        start = min(start ?? .max, sample.nanoseconds)
        var isCounted = false
        // The frames are added from the outermost frame, which ran first.
        for frame in sample.frames.reversed() {
          guard let place = frame.image else { continue }
          let path = NameKey(bytes.copy(place))
          let isInImage: Bool
          if let known = isOfImage[path] {
            isInImage = known
          } else {
            let name = leaf(withoutDeletion(bytes.copy(place)[...]))
            isInImage = name == imageName
            isOfImage[path] = isInImage
            if !isInImage, otherImages.count < 100 { otherImages.insert(SymbolName(bytes: name)) }
          }
          guard isInImage else { continue }
          if found == nil {
            found = (sample.process, start ?? 0)
            command = bytes.copy(sample.command)
            launch.processNumber = sample.process.map { UInt32(truncatingIfNeeded: $0) }
          }
          guard sample.process == found?.process else {
            if let other = sample.process { others.insert(other) }
            continue
          }
          if !isCounted { sampleCount += 1 }
          isCounted = true
          guard let symbol = frame.symbol else {
            unnamedFrames += 1
            continue
          }
          let name = bytes.copy(symbol)
          // A stub of the linkage table is not one of the image's functions.
          guard seen.insert(NameKey(name)).inserted, !name.ends(with: "@plt") else { continue }
          let resolution = map.resolve(SymbolName(bytes: name))
          launch.add(
            SymbolName(bytes: name), resolution, line: frame.line,
            nanoseconds: sample.nanoseconds - min(start ?? 0, sample.nanoseconds),
            thread: sample.thread.map { UInt32(truncatingIfNeeded: $0) })
        }
      }
    } catch {
      throw Diagnostic(
        "\(error)", context: [path],
        hint:
          "give the output of 'perf script --no-demangle'; an option -F must name the fields tid, time, "
          + "ip, sym and dso")
    }
    otherProcesses = others.sorted()
    guard found != nil else {
      let names = otherImages.sorted().prefix(5).map { "'\($0)'" }
      throw Diagnostic(
        "missing the image: no sample is in a file named '\(String(decoding: imageName, as: UTF8.self))'",
        context: [path],
        hint: names.isEmpty
          ? "an option -F of 'perf script' must name the field dso"
          : "the samples are in \(names.joined(separator: ", "))",
        severity: .mismatch)
    }
    launch.explainMissing()
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}

private func leaf(_ path: ArraySlice<UInt8>) -> [UInt8] {
  Array(path.split(separator: UInt8(ascii: "/")).last ?? [])
}

/// The path of an image that was removed while its process ran.
private func withoutDeletion(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  let mark = Array(" (deleted)".utf8)
  return path.suffix(mark.count).elementsEqual(mark) ? path.dropLast(mark.count) : path
}
