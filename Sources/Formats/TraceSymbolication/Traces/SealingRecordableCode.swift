import ImageModel
import TraceFormat

extension Trace {
  /// The figures that show, without the recorded images, how much of their code could be recorded.
  ///
  /// - Parameter code: returns the recordable code of an image; `nil` if it is unknown. It is called once for each
  ///   image, however often the image was loaded.
  package func recordableForSealing(
    _ code: (TraceImage) -> RecordableCode?
  ) -> [TraceRecordableCode] {
    imageGroups.compactMap { group in
      let image = images[group[0]]
      return code(image).flatMap { TraceRecordableCode($0, ofImageNumbered: image.number) }
    }
  }
}

extension TraceRecordableCode {
  /// Makes the record of a trace about `code`; `nil` if the number of bytes is unknown.
  fileprivate init?(_ code: RecordableCode, ofImageNumbered number: UInt64) {
    guard let bytes = code.bytes else { return nil }
    self.init(
      image: number, means: code.means.inTrace, functions: code.functions.recordable,
      allFunctions: code.functions.all, bytes: bytes.recordable, allBytes: bytes.all,
      units: code.unseen.map {
        Unit(
          functions: UInt64(clamping: $0.functions), bytes: $0.bytes, name: $0.name?.bytes,
          largestFunction: $0.largestFunction?.bytes)
      })
  }
}

extension RecordableCode {
  /// Makes the recordable code from the record of a trace; `nil` if a later version wrote a kind of `means` that is
  /// unknown here.
  init?(_ code: TraceRecordableCode) {
    guard let means = Means.allCases.first(where: { $0.inTrace == code.means }) else {
      return nil
    }
    self.init(
      means: means, functions: Portion(recordable: code.functions, all: code.allFunctions),
      bytes: Portion(recordable: code.bytes, all: code.allBytes),
      unseen: code.units.map {
        Unit(
          name: $0.name.map { SymbolName(bytes: $0) },
          largestFunction: $0.largestFunction.map { SymbolName(bytes: $0) },
          functions: Int(clamping: $0.functions), bytes: $0.bytes)
      })
  }
}

extension RecordableCode.Means {
  fileprivate var inTrace: TraceRecordableCode.Means {
    switch self {
    case .callback: .callback
    case .breakpoint: .breakpoint
    case .execution: .execution
    }
  }
}
