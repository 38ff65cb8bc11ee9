// What a tracer of pages asks, and tells at its end, of another process.

import ImageModel

/// Answers, in the process that traces.
struct RemotePageImages {
  let stream: TracerStream

  func mark(in path: String) -> UInt64? {
    let answer = stream.ask(TracerMessage(.wantsMark, text: path.utf8))
    return answer.numbers.first
  }
}

extension TracerStream {
  func send(_ tracer: PageTouchTracer) {
    for path in tracer.touches.images { send(TracerMessage(.pageImage, text: path.utf8)) }
    var numbers: [UInt64] = []
    for touch in tracer.touches.touches {
      let instruction = touch.instruction
      numbers += [
        UInt64(touch.image), touch.distance, UInt64(touch.access.index),
        UInt64(instruction.image.map { $0 + 1 } ?? 0), instruction.distance,
      ]
    }
    send(TracerMessage(.pageTouches, numbers))
    let (kind, error): (UInt64, Int32) =
      switch tracer.problem {
      case .refused(let error): (1, error)
      case .seccomp: (2, 0)
      default: (0, 0)
      }
    send(
      TracerMessage(
        .pageResult, [tracer.wasStopped ? 1 : 0, kind, UInt64(max(error, 0))],
        text: (tracer.touches.program ?? "").utf8))
  }
}

/// What a tracer of pages has seen, in the process that started it.
struct PageTracerResult {
  private(set) var touches = PageTouches()
  private(set) var wasStopped = false
  var problem: PageProblem?
  private var images: [String] = []
  private var rows: [PageTouches.Touch] = []

  /// - Returns: the answer to a question.
  mutating func hear(_ message: TracerMessage, _ known: any PageImages) -> TracerMessage? {
    switch message.kind {
    case .wantsMark:
      return TracerMessage(.answer, known.mark(in: message.string).map { [$0] } ?? [])
    case .pageImage: images.append(message.string)
    case .pageTouches:
      for first in stride(from: 0, to: message.numbers.count, by: 5) {
        let image = Int(clamping: message[first])
        let other = Int(clamping: message[first + 3])
        guard images.indices.contains(image), other <= images.count,
          let access = Access(index: Int(clamping: message[first + 2]))
        else { continue }
        rows.append(
          PageTouches.Touch(
            image: image, distance: message[first + 1], access: access,
            instruction: PageTouches.Place(
              image: other == 0 ? nil : other - 1, distance: message[first + 4])))
      }
    case .pageResult:
      wasStopped = message[0] == 1
      touches = PageTouches(
        images: images, touches: rows, program: message.text.isEmpty ? nil : message.string)
      switch message[1] {
      case 1: problem = .refused(errno: message.number(2))
      case 2: problem = .seccomp
      default: break
      }
    default: break
    }
    return nil
  }
}

extension Access {
  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  fileprivate init?(index: Int) {
    guard Self.allCases.indices.contains(index) else { return nil }
    self = Self.allCases[index]
  }
}
