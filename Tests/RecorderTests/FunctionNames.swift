import Addresses
import ByteReading
import Testing
import TraceFormat

/// Names of a trace's functions, looked up by nm in the images that the trace names: independent of
/// the tool's own symbolication.
struct FunctionNames {
  private let workshop: Workshop
  private var tables: [String: [(address: UInt64, name: String)]] = [:]

  init(_ workshop: Workshop) { self.workshop = workshop }

  struct Hit: Equatable {
    /// The image's file name.
    var image: String
    /// The name of the function at the entry PC, or else at the return address.
    var name: String
    /// The name of the function that ran, found by the return address.
    var body: String
  }

  /// The functions of `trace` in the order of its hits. A hit belongs to the image loaded last that contains its guard.
  mutating func hits(_ trace: TraceFile) throws -> [Hit] {
    var loaded: [(number: UInt64, image: TraceImageRecord)] = []
    var hits: [Hit] = []
    for record in trace.records {
      switch record.event {
      case .load(let number, let image): loaded.append((number, image))
      case .function(let guardAddress, let returnAddress, let entry):
        let owner = loaded.last { load in
          let offset = guardAddress.rawValue &- load.image.guardStart.rawValue
          return offset < load.image.guardSize
        }
        guard let image = owner?.image else {
          hits.append(Hit(image: "?", name: "?", body: "?"))
          continue
        }
        let path = String(decoding: image.path, as: UTF8.self)
        let body = try name(in: path, at: returnAddress.rawValue &- 1 &- image.slide.rawValue)
        let own = try entry.map { try name(in: path, at: $0.rawValue &- image.slide.rawValue) }
        hits.append(
          Hit(image: String(path.split(separator: "/").last ?? ""), name: own ?? body, body: body))
      default: break
      }
    }
    return hits
  }

  mutating func names(_ trace: TraceFile) throws -> [String] { try hits(trace).map(\.name) }

  private mutating func name(in path: String, at address: UInt64) throws -> String {
    if tables[path] == nil {
      let listing = try workshop.make("nm", ["--defined-only", path]).text
      var table: [(address: UInt64, name: String)] = []
      for line in listing.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count == 3, "tTwWi".contains(words[1]), let value = UInt64(words[0], radix: 16)
        else { continue }
        table.append((value, String(words[2])))
      }
      tables[path] = table.sorted { $0.address < $1.address }
    }
    return tables[path]?.last { $0.address <= address }?.name ?? "?"
  }
}

extension TraceFile {
  /// The guards of the trace's functions, in the order of the hits.
  var guards: [UInt64] {
    records.compactMap { record in
      if case .function(let address, _, _) = record.event { address.rawValue } else { nil }
    }
  }

  /// The entry PCs of the trace's functions, in the order of the hits; `nil` where the recorder did not know it.
  var entries: [UInt64?] {
    records.compactMap { record in
      if case .function(_, _, let entry) = record.event { .some(entry?.rawValue) } else { nil }
    }
  }

  var marks: [String] {
    records.compactMap { record in
      if case .mark(let name) = record.event { String(decoding: name, as: UTF8.self) } else { nil }
    }
  }

  var loads: [(number: UInt64, path: String)] {
    records.compactMap { record in
      if case .load(let number, let image) = record.event {
        (number, String(decoding: image.path, as: UTF8.self))
      } else {
        nil
      }
    }
  }
}
