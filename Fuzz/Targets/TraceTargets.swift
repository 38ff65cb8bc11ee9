import ImageModel
import TraceFormat
import TraceSymbolication

extension FuzzTarget {
  static let traces = [
    FuzzTarget("trace") { bytes in
      let file = try TraceFile(parsing: bytes)
      let trace = Trace(file, path: "trace")
      _ = EmulatedTrace(file) { _ in nil }
      // Commands read the few images of one name.
      for group in trace.imageGroups.prefix(16) {
        _ = RecordedFunctions(trace, group: group, in: RecordedImage(namesOf: trace, group: group))
      }
      let names = trace.namesForSealing(trace.images.map { _ in nil })
      _ = file.sealed(
        TraceFile.Seal(), names: names + file.names,
        recordable: trace.recordableForSealing(\.recordable))
    },
    FuzzTarget("payload") { bytes in
      for case .success(let payload) in FieldPayloads(bytes) {
        for table in payload.tables {
          precondition(table.functions.allSatisfy { $0.guardIndex < table.guardCount })
        }
      }
    },
  ]
}
