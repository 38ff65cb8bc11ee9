// The messages between a page tracer and the process that started it.

import Addresses
import ImageModel
import LibC

/// In the tracer process: asks the process that started it about images.
struct RemotePageImages {
  let stream: TracerStream

  func mark(in path: String) -> RelativeAddress? {
    let answer = stream.ask(TracerMessage(.wantsMark, text: path.utf8))
    return answer.numbers.first.map(RelativeAddress.init(rawValue:))
  }
}

extension TracerStream {
  func send(_ tracer: PageTouchTracer) {
    for pid in tracer.touches.inaccessible { send(TracerMessage(.inaccessible, pid)) }
    for path in tracer.touches.withoutRights {
      send(TracerMessage(.withoutRights, text: path.utf8))
    }
    for path in tracer.touches.others { send(TracerMessage(.otherImage, text: path.utf8)) }
    for image in tracer.touches.images { send(TracerMessage(image)) }
    var numbers: [UInt64] = []
    for touch in tracer.touches.touches {
      numbers += [UInt64(touch.image), touch.address.rawValue, UInt64(touch.access.index)]
      numbers.append(touch.isLoading ? 1 : 0)
      switch touch.instruction {
      case nil: numbers += [0, 0]
      case .outside(let address): numbers += [1, address.rawValue]
      case .inImage(let image, let address): numbers += [UInt64(image + 2), address.rawValue]
      }
    }
    send(TracerMessage(.pageTouches, numbers))
    let (kind, error): (UInt64, Int32) =
      switch tracer.problem {
      case .refused(let error): (1, error)
      case .seccomp: (2, 0)
      case .inaccessible: (3, 0)
      case .traced: (4, 0)
      default: (0, 0)
      }
    send(
      TracerMessage(
        .pageResult,
        [
          tracer.wasStopped ? 1 : 0, kind, UInt64(max(error, 0)),
          tracer.request.countsLoading ? 1 : 0,
          UInt64(clamping: tracer.unknownCall.map { $0 + 1 } ?? 0),
        ], text: (tracer.touches.program ?? "").utf8))
  }
}

/// The result of a page tracer, in the process that started it.
struct PageTracerResult {
  private(set) var touches = PageTouches()
  private(set) var wasStopped = false
  private(set) var unknownCall: Int?
  var problem: PageProblem?
  private var images: [ImageInMemory] = []
  private var others: [String] = []
  private var inaccessible: [pid_t] = []
  private var withoutRights: [String] = []
  private var rows: [PageTouches.Touch] = []

  /// - Returns: the answer to a question.
  mutating func hear(_ message: TracerMessage, _ known: any PageImages) -> TracerMessage? {
    switch message.kind {
    case .wantsMark:
      return TracerMessage(.answer, known.mark(in: message.string).map { [$0.rawValue] } ?? [])
    case .otherImage: others.append(message.string)
    case .withoutRights: withoutRights.append(message.string)
    case .inaccessible: inaccessible.append(message.number(0))
    case .pageImage: images.append(ImageInMemory(message))
    case .pageTouches:
      for first in stride(from: 0, to: message.numbers.count, by: 6) {
        let image = Int(clamping: message[first])
        let other = Int(clamping: message[first + 4])
        guard images.indices.contains(image), other <= images.count + 1,
          let access = Access(index: Int(clamping: message[first + 2]))
        else { continue }
        rows.append(
          PageTouches.Touch(
            image: image, address: RelativeAddress(rawValue: message[first + 1]), access: access,
            instruction: Self.place(other, message[first + 5]), isLoading: message[first + 3] == 1))
      }
    case .pageResult:
      wasStopped = message[0] == 1
      unknownCall = message[4] == 0 ? nil : Int(clamping: message[4] - 1)
      touches = PageTouches(
        images: images, touches: rows, program: message.text.isEmpty ? nil : message.string,
        loadingImages: message[3] == 1 ? images.map { $0.path } : [], others: others,
        inaccessible: inaccessible, withoutRights: withoutRights)
      switch message[1] {
      case 1: problem = .refused(errno: message.number(2))
      case 2: problem = .seccomp
      case 3: problem = .inaccessible
      case 4: problem = .traced
      default: break
      }
    default: break
    }
    return nil
  }
}

extension TracerMessage {
  fileprivate init(_ image: ImageInMemory) {
    let numbers = [image.isWeak ? 1 : 0] + image.id.map { UInt64($0) }
    self.init(.pageImage, numbers, text: "\(image.file ?? "")\n\(image.path)".utf8)
  }
}

extension ImageInMemory {
  /// - Parameter message: a message of the kind `pageImage`.
  fileprivate init(_ message: TracerMessage) {
    let end = message.text.firstIndex(of: UInt8(ascii: "\n")) ?? 0
    let file = String(decoding: message.text[..<end], as: UTF8.self)
    self.init(
      path: String(decoding: message.text.dropFirst(end + 1), as: UTF8.self),
      file: file.isEmpty ? nil : file,
      id: message.numbers.dropFirst().map { UInt8(truncatingIfNeeded: $0) },
      isWeak: message[0] == 1)
  }
}

extension PageTracerResult {
  /// - Parameter image: 0 for no place, 1 for a place outside of all images, otherwise 2 + the index of the place's
  ///   image.
  private static func place(_ image: Int, _ number: UInt64) -> PageTouches.Place? {
    switch image {
    case 0: nil
    case 1: .outside(LoadedAddress(rawValue: number))
    default: .inImage(image - 2, RelativeAddress(rawValue: number))
    }
  }
}

extension Access {
  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  fileprivate init?(index: Int) {
    guard Self.allCases.indices.contains(index) else { return nil }
    self = Self.allCases[index]
  }
}
