// The messages from a breakpoint tracer to its observer in another process.

import Addresses
import LibC
import ProcessLaunch

/// The observer, as seen in the tracer process.
struct RemoteBreakpointObserver {
  let stream: TracerStream

  func image(at path: String) -> BreakpointImage? {
    BreakpointImage(stream.ask(TracerMessage(.wantsImage, text: path.utf8)))
  }

  func loader(at path: String) -> BreakpointImage? {
    BreakpointImage(stream.ask(TracerMessage(.wantsLoader, text: path.utf8)))
  }

  func isOther(_ path: String, isLoader: Bool) {
    stream.send(TracerMessage(.otherImage, [isLoader ? 1 : 0], text: path.utf8))
  }

  func isTranslator(_ program: String) {
    stream.send(TracerMessage(.translator, text: program.utf8))
  }

  func isWithoutRights(_ program: String) {
    stream.send(TracerMessage(.withoutRights, text: program.utf8))
  }

  func isDebugger(_ program: String) {
    stream.send(TracerMessage(.debugger, text: program.utf8))
  }

  func isInaccessible(_ pid: pid_t, hasBreakpoints: Bool) {
    stream.send(TracerMessage(.inaccessible, [UInt64(pid), hasBreakpoints ? 1 : 0]))
  }

  func processBegan(_ pid: pid_t, program path: String) {
    stream.send(TracerMessage(.processBegan, [UInt64(pid), startTime(pid)], text: path.utf8))
  }

  func processForked(_ pid: pid_t, by parent: pid_t) {
    stream.send(TracerMessage(.processForked, [UInt64(pid), startTime(pid), UInt64(parent)]))
  }

  /// Returns the start time of a process as a number of a message; 0 if it is unknown.
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
    case .otherImage: isOther(message.string, isLoader: message[0] == 1)
    case .translator: isTranslator(message.string)
    case .withoutRights: isWithoutRights(message.string)
    case .debugger: isDebugger(message.string)
    case .inaccessible: isInaccessible(pid, hasBreakpoints: message[1] == 1)
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
        LoadedAddress(rawValue: message[7]), of: image,
        by: TracedThread(tid: message.number(5), pid: pid, ticks: message[6]))
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
    [slide.rawValue, text.lowerBound.rawValue, text.upperBound.rawValue, UInt64(build)]
  }

  /// Reads an image from a message in which it follows the number of its process.
  fileprivate init?(_ message: TracerMessage) {
    guard message[2] <= message[3] else { return nil }
    self.init(
      path: message.string, build: Int(clamping: message[4]), slide: Slide(rawValue: message[1]),
      text: LoadedAddress(rawValue: message[2])..<LoadedAddress(rawValue: message[3]))
  }
}

extension BreakpointImage {
  fileprivate var message: TracerMessage {
    var numbers = [UInt64(1), UInt64(build), isRecorded ? 1 : 0, isLoader ? 1 : 0]
    for place in [loaderNotice, mark, end, clone, systemCall, traceRequest] {
      numbers += [place == nil ? 0 : 1, place?.rawValue ?? 0]
    }
    numbers += [UInt64(segments.count), UInt64(identity.count)]
    for segment in segments {
      numbers += [
        segment.fileOffset.rawValue, segment.range.start.rawValue, segment.range.size,
      ]
    }
    var text: [UInt8] = []
    for piece in identity {
      numbers += [piece.address.rawValue, UInt64(piece.bytes.count)]
      text += piece.bytes
    }
    return TracerMessage(.answer, numbers + functions.map { $0.rawValue }, text: text)
  }

  /// - Returns: `nil` for an empty message.
  fileprivate init?(_ message: TracerMessage) {
    guard message[0] == 1 else { return nil }
    var next = 4
    func number() -> UInt64 {
      defer { next += 1 }
      return message[next]
    }
    func place() -> StatedAddress? {
      let isThere = number() == 1
      let address = StatedAddress(rawValue: number())
      return isThere ? address : nil
    }
    let places = (0..<6).map { _ in place() }
    let counts = [number(), number()]
    let segments = (0..<counts[0]).map { _ in
      Segment(
        fileOffset: FileOffset(rawValue: number()),
        range: AddressRange(start: StatedAddress(rawValue: number()), size: number()))
    }
    var text = message.text[...]
    let identity = (0..<counts[1]).map { _ in
      let address = StatedAddress(rawValue: number())
      let bytes = text.prefix(Int(clamping: number()))
      text = text.dropFirst(bytes.count)
      return Piece(address: address, bytes: Array(bytes))
    }
    self.init(
      functions: message.numbers.dropFirst(next).map(StatedAddress.init(rawValue:)),
      segments: segments, identity: identity, build: Int(clamping: message[1]))
    (isRecorded, isLoader) = (message[2] == 1, message[3] == 1)
    (loaderNotice, mark, end) = (places[0], places[1], places[2])
    (clone, systemCall, traceRequest) = (places[3], places[4], places[5])
  }
}
