// The output of `orderfile advise --json`, in addition to its schema.
//
//     architecture, id, path, command[]
//                           the image, and its launch
//     present               textPages and dataPages, each for three page sizes; sections[] and accessors[] of these;
//                           fileBytes; cold, warm (with --cold, --warm, --both, --device) and memory (with --memory)
//     again                 cold, warm and memory of the same image, measured a second time
//     changes[]             name, cFlags[], ldFlags[], effect, needs, givesUp; result: "measured" (with build and saved),
//                           "predicted" (with saved), "unchanged", "failed" (with reason)
//     together              the changes that help and give up nothing: names[], cFlags[], ldFlags[], build, saved
//     variation             the pages by which two launches of the same image differ
//     device                the device of cold launches

import JSON
import LaunchMeasurement
import PagesFormat

extension AdviceDocument: JSONDocument {
  package static let schema = "orderfile.advice/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.optional("again", again)
    json.optional("architecture", image.architecture)
    json.array("changes") { json in
      for change in changes { json.object(isInline: false) { write(change, to: &$0) } }
    }
    json.member("command", command)
    json.optional("device", measurement.device)
    json.member("id", image.id)
    json.member("path", image.path)
    json.member("present", present)
    json.member("schema", Self.schema)
    if let together {
      json.object("together") { json in
        json.member("build", together.build)
        json.member("cFlags", together.compiling)
        json.member("ldFlags", together.linking)
        json.member("names", together.names)
        json.member("saved", present.pages - together.build.pages)
      }
    }
    json.optional("variation", variation)
    json.array("warnings") { json in
      for warning in warnings { json.element("\(warning)") }
    }
  }

  private func write(_ change: Change, to json: inout JSONWriter) {
    if case .measured(let build) = change.outcome { json.member("build", build) }
    json.member("cFlags", change.compiling)
    json.member("effect", change.effect)
    json.optional("givesUp", change.givesUp)
    json.member("ldFlags", change.linking)
    json.member("name", change.name)
    json.optional("needs", change.needs)
    if case .failed(let reason) = change.outcome { json.member("reason", reason) }
    json.member("result", change.outcome.name)
    if let saved = saved(by: change) { json.member("saved", saved) }
  }
}

extension AdviceDocument.Outcome {
  fileprivate var name: String {
    switch self {
    case .measured: "measured"
    case .predicted: "predicted"
    case .unchanged: "unchanged"
    case .failed: "failed"
    }
  }
}

extension AdviceDocument.Build: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("accessors", data.shares)
    json.optional("cold", costs?.cold)
    json.object("dataPages") { $0.write(pages: data.total) }
    json.member("fileBytes", fileBytes)
    json.optional("memory", costs?.memory)
    json.member("sections", data.rows)
    json.object("textPages") { $0.write(pages: text) }
    json.optional("warm", costs?.warm)
  }
}

extension AdviceDocument.Costs: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("cold", cold)
    json.optional("memory", memory)
    json.optional("warm", warm)
  }
}

extension AdviceDocument.Launches: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("comparison", comparison)
    json.member("launches", count)
    json.member("majorFaults", majorFaults)
    json.optional("requests", requests)
    json.member("wallNanoseconds", wallNanoseconds)
  }
}

extension AdviceDocument.Memory: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("imageRSSBytes", imageRSS)
    json.member("launches", launches)
    json.member("rssBytes", rss)
  }
}
