// The messages from a breakpoint tracer to its observer in another process.

import Addresses
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The observer, as seen in the tracer process.
struct RemoteBreakpointObserver {
  let stream: TracerStream

  func image(at path: String) -> BreakpointImage? {
    BreakpointImage(stream.ask(TracerMessage(.wantsImage, text: path.utf8)))
  }

  func loader(at path: String) -> BreakpointImage? {
    BreakpointImage(stream.ask(TracerMessage(.wantsLoader, text: path.utf8)))
  }

  func processBegan(_ pid: pid_t) {
    let path = ProcessMapping.program(of: pid) ?? ""
    stream.send(TracerMessage(.processBegan, [UInt64(pid), startTime(pid)], text: path.utf8))
  }

  func processForked(_ pid: pid_t, by parent: pid_t) {
    stream.send(TracerMessage(.processForked, [UInt64(pid), startTime(pid), UInt64(parent)]))
  }

  /// The number in a message: 0 for none.
  private func startTime(_ pid: pid_t) -> UInt64 {
    ProgramLaunch.startTime(processNumber: pid) ?? 0
  }

  func processEnded(_ pid: pid_t) { stream.send(TracerMessage(.processEnded, pid)) }

  func loaded(_ image: LoadedImage, in pid: pid_t) {
    stream.send(TracerMessage(.loaded, [UInt64(pid)] + image.numbers, text: image.path.utf8))
  }

  func unloaded(_ image: LoadedImage, in pid: pid_t) {
    stream.send(TracerMessage(.unloaded, [UInt64(pid)] + image.numbers, text: image.path.utf8))
  }

  func firstHit(_ function: LoadedAddress, of image: LoadedImage, in pid: pid_t, thread: pid_t) {
    let now = ClockReading.now().ticks
    stream.send(
      TracerMessage(
        .firstHit, [UInt64(pid)] + image.numbers + [UInt64(thread), now, function.rawValue],
        text: image.path.utf8))
  }

  func mark(_ name: [UInt8], in pid: pid_t, thread: pid_t) {
    let now = ClockReading.now().ticks
    stream.send(TracerMessage(.mark, [UInt64(pid), UInt64(thread), now], text: name))
  }

  func breakpointsLeft(_ count: Int, in pid: pid_t) {
    stream.send(TracerMessage(.breakpointsLeft, [UInt64(pid), UInt64(count)]))
  }

  func launchEnded(by reason: StopReason) {
    stream.send(TracerMessage(.launchEnded, [reason.rawValue]))
  }
}

extension BreakpointObserver {
  /// Handles a message from the tracer process.
  ///
  /// - Returns: the answer if the message is a question.
  func hear(_ message: TracerMessage) -> TracerMessage? {
    let pid = message.number(0)
    switch message.kind {
    case .wantsImage: return image(at: message.string)?.message ?? TracerMessage(.answer)
    case .wantsLoader: return loader(at: message.string)?.message ?? TracerMessage(.answer)
    case .processBegan:
      processBegan(TracedProcess(message), program: message.string)
    case .processForked:
      processForked(TracedProcess(message), by: message.number(2))
    case .processEnded: processEnded(pid)
    case .loaded: if let image = LoadedImage(message) { loaded(image, in: pid) }
    case .unloaded: if let image = LoadedImage(message) { unloaded(image, in: pid) }
    case .firstHit:
      guard let image = LoadedImage(message) else { break }
      firstHit(
        LoadedAddress(rawValue: message[6]), of: image,
        by: TracedThread(tid: message.number(4), pid: pid, ticks: message[5]))
    case .mark:
      mark(
        message.text, by: TracedThread(tid: message.number(1), pid: pid, ticks: message[2]))
    case .breakpointsLeft: breakpointsLeft(Int(clamping: message[1]), in: pid)
    case .launchEnded: if let end = StopReason(rawValue: message[0]) { launchEnded(by: end) }
    default: break
    }
    return nil
  }
}

extension TracedProcess {
  fileprivate init(_ message: TracerMessage) {
    self.init(pid: message.number(0), startTime: message[1] == 0 ? nil : message[1])
  }
}

extension LoadedImage {
  fileprivate var numbers: [UInt64] {
    [slide.rawValue, text.lowerBound.rawValue, text.upperBound.rawValue]
  }

  /// Follows the number of its process.
  fileprivate init?(_ message: TracerMessage) {
    guard message[2] <= message[3] else { return nil }
    self.init(
      path: message.string, slide: Slide(rawValue: message[1]),
      text: LoadedAddress(rawValue: message[2])..<LoadedAddress(rawValue: message[3]))
  }
}

extension BreakpointImage {
  fileprivate var message: TracerMessage {
    var numbers = [UInt64(1)]
    for place in [loaderNotice, mark, end] {
      numbers += [place == nil ? 0 : 1, place?.rawValue ?? 0]
    }
    numbers.append(UInt64(segments.count))
    for segment in segments {
      numbers += [
        segment.fileOffset.rawValue, segment.range.start.rawValue, segment.range.size,
      ]
    }
    return TracerMessage(.answer, numbers + functions.map { $0.rawValue })
  }

  /// - Returns: `nil` for an empty message.
  fileprivate init?(_ message: TracerMessage) {
    guard message[0] == 1 else { return nil }
    func place(_ index: Int) -> StatedAddress? {
      message[index] == 0 ? nil : StatedAddress(rawValue: message[index + 1])
    }
    let count = Int(clamping: message[7])
    var segments: [Segment] = []
    for index in 0..<count {
      let first = 8 + 3 * index
      segments.append(
        Segment(
          fileOffset: FileOffset(rawValue: message[first]),
          range: AddressRange(
            start: StatedAddress(rawValue: message[first + 1]), size: message[first + 2])))
    }
    self.init(
      functions: message.numbers.dropFirst(8 + 3 * count).map(StatedAddress.init(rawValue:)),
      segments: segments, loaderNotice: place(1), mark: place(3), end: place(5))
  }
}
