import CPtrace
import LibC

/// A message between the tracer process and the process that started it.
struct TracerMessage {
  var kind: Kind
  var numbers: [UInt64] = []
  var text: [UInt8] = []

  enum Kind: UInt64 {
    // Messages to the tracer process. The end of the stream has the meaning of `leave`.
    /// The message asks the tracer to attach to a program that is about to begin, or to a running one.
    case seize, attach
    /// The message asks the tracer to end the recording, for a `StopReason`.
    case end
    case leave
    /// The message is the answer to a question.
    case answer
    // Messages from the tracer process.
    /// The message has the result of attaching, as a number in `errno.h`.
    case attached
    /// The tracer traces no process any more.
    case done
    /// The message says that the recording has ended.
    case ended
    case wantsImage, wantsLoader, wantsMark
    case processBegan, processForked, processEnded, loaded, unloaded, firstHit, mark
    case breakpointsLeft, launchEnded, otherImage, inaccessible, translator, withoutRights, debugger
    case pageImage, pageTouches, pageResult
    case memory
  }

  init(_ kind: Kind, _ numbers: [UInt64] = [], text: some Sequence<UInt8> = []) {
    self.kind = kind
    self.numbers = numbers
    self.text = Array(text)
  }

  init(_ kind: Kind, _ pid: pid_t) { self.init(kind, [UInt64(pid)]) }

  /// The number at `index`; 0 if the message has fewer numbers.
  subscript(index: Int) -> UInt64 { index < numbers.count ? numbers[index] : 0 }

  func number(_ index: Int) -> pid_t { pid_t(truncatingIfNeeded: self[index]) }

  var string: String { String(decoding: text, as: UTF8.self) }
}

/// One end of the stream between the two processes.
struct TracerStream {
  let descriptor: Int32

  /// - Returns: false if the other process is gone.
  @discardableResult
  func send(_ message: TracerMessage) -> Bool {
    let head = [
      message.kind.rawValue, UInt64(message.numbers.count), UInt64(message.text.count),
    ]
    return ctrace_send(descriptor, head, head.count * 8)
      && ctrace_send(descriptor, message.numbers, message.numbers.count * 8)
      && ctrace_send(descriptor, message.text, message.text.count)
  }

  /// Waits for a message.
  ///
  /// - Returns: `nil` if the other process is gone, or has closed the stream.
  func receive() -> TracerMessage? {
    var head: [UInt64] = [0, 0, 0]
    guard ctrace_receive(descriptor, &head, head.count * 8),
      let kind = TracerMessage.Kind(rawValue: head[0]), head[1] < 1 << 32, head[2] < 1 << 32
    else { return nil }
    var message = TracerMessage(kind, [UInt64](repeating: 0, count: Int(head[1])))
    message.text = [UInt8](repeating: 0, count: Int(head[2]))
    guard ctrace_receive(descriptor, &message.numbers, message.numbers.count * 8),
      ctrace_receive(descriptor, &message.text, message.text.count)
    else { return nil }
    return message
  }

  /// Sends a question and waits for the answer, which is empty if the other process is gone.
  func ask(_ question: TracerMessage) -> TracerMessage {
    guard send(question), let answer = receive(), answer.kind == .answer else {
      return TracerMessage(.answer)
    }
    return answer
  }
}
