// The output of `orderfile advise --json`, in addition to its schema.
//
//     architecture, id, path, command[]
//                           the image, and its launch
//     present               textPages and dataPages, each for three page sizes; sections[] and accessors[] of these
//     options[]             name, cFlags[], ldFlags[], effect, needs, givesUp; result: "measured" (with pages and saved),
//                           "predicted" (with saved), "unchanged", "failed" (with reason)
//     together              the options that help and give up nothing: names[], cFlags[], ldFlags[], pages, saved
//     variation             the pages by which two launches of the same image differ

import JSON
import PagesFormat

extension AdviceDocument: JSONDocument {
  package static let schema = "orderfile.advice/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.optional("architecture", image.architecture)
    json.member("command", command)
    json.member("id", image.id)
    json.array("options") { json in
      for option in options { json.object(isInline: false) { write(option, to: &$0) } }
    }
    json.member("path", image.path)
    json.member("present", present)
    json.member("schema", Self.schema)
    if let together {
      json.object("together") { json in
        json.member("cFlags", together.compiling)
        json.member("ldFlags", together.linking)
        json.member("names", together.names)
        json.member("pages", together.pages)
        json.member("saved", present.data.total[0] - together.pages.data.total[0])
      }
    }
    json.optional("variation", variation)
    json.array("warnings") { json in
      for warning in warnings { json.element("\(warning)") }
    }
  }

  private func write(_ option: Option, to json: inout JSONWriter) {
    json.member("cFlags", option.compiling)
    json.member("effect", option.effect)
    json.optional("givesUp", option.givesUp)
    json.member("ldFlags", option.linking)
    json.member("name", option.name)
    json.optional("needs", option.needs)
    if case .measured(let pages) = option.outcome {
      json.member("pages", pages)
    }
    if case .failed(let reason) = option.outcome { json.member("reason", reason) }
    json.member("result", option.outcome.name)
    if let saved = saved(by: option) { json.member("saved", saved) }
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

extension AdviceDocument.Pages: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("accessors", data.shares)
    json.object("dataPages") { $0.write(pages: data.total) }
    json.member("sections", data.rows)
    json.object("textPages") { $0.write(pages: text) }
  }
}
