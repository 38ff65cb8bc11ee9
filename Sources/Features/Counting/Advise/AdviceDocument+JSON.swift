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

  package func write(to json: inout JSONWriter) {
    if let architecture = image.architecture { json.member("architecture", architecture) }
    json.array("command") { json in for word in command { json.element(word) } }
    json.member("id", image.id)
    json.array("options") { json in
      for option in options { json.object(isInline: false) { write(option, to: &$0) } }
    }
    json.member("path", image.path)
    json.object("present") { present.write(to: &$0) }
    json.member("schema", Self.schema)
    if let together {
      json.object("together") { json in
        json.array("cFlags") { json in for word in together.compiling { json.element(word) } }
        json.array("ldFlags") { json in for word in together.linking { json.element(word) } }
        json.array("names") { json in for name in together.names { json.element(name) } }
        json.object("pages") { together.pages.write(to: &$0) }
        json.member("saved", present.data.total[0] - together.pages.data.total[0])
      }
    }
    if let variation { json.member("variation", variation) }
    json.array("warnings") { json in
      for warning in warnings { json.element("\(warning)") }
    }
  }

  private func write(_ option: Option, to json: inout JSONWriter) {
    json.array("cFlags") { json in for word in option.compiling { json.element(word) } }
    json.member("effect", option.effect)
    if let givesUp = option.givesUp { json.member("givesUp", givesUp) }
    json.array("ldFlags") { json in for word in option.linking { json.element(word) } }
    json.member("name", option.name)
    if let needs = option.needs { json.member("needs", needs) }
    if case .measured(let pages) = option.outcome {
      json.object("pages") { pages.write(to: &$0) }
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

extension AdviceDocument.Pages {
  fileprivate func write(to json: inout JSONWriter) {
    json.array("accessors") { json in
      for share in data.shares { json.object { share.write(to: &$0) } }
    }
    json.object("dataPages") { $0.write(pages: data.total) }
    json.array("sections") { json in
      for row in data.rows { json.object { row.write(to: &$0) } }
    }
    json.object("textPages") { $0.write(pages: text) }
  }
}
