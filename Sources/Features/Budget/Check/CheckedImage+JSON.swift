// The form of an image in a report, so that the report can be the base of a later check.

import Audit
import ByteReading
import ImageModel
import JSON
import PagesFormat

/// This extension writes and reads the members itself, because the number of figures is limited, and only the names of
/// libraries are written.
extension CheckedImage: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("architecture", reference.architecture)
    json.member("figures", figures)
    json.optional("firstTouches", firstTouches)
    json.optional("functions", functions)
    json.optional("id", reference.id)
    json.member("image", name)
    json.optional("initializers", initializers)
    if let libraries {
      json.array("libraries") { json in for library in libraries { json.element(library.name) } }
    }
    json.optional("tasks", tasks)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(name: try object.value("image"))
    reference.architecture = try object.optional("architecture")
    reference.id = try object.optional("id")
    figures = try object.value("figures")
    guard figures.count <= Self.mostFigures else {
      throw object.invalid(
        "figures", expected: "at most \(Self.mostFigures)", found: "\(figures.count)")
    }
    firstTouches = object.has("firstTouches") ? try object.value("firstTouches") : nil
    functions = object.has("functions") ? try object.value("functions") : nil
    initializers = object.has("initializers") ? try object.value("initializers") : nil
    let names: [SymbolName]? = object.has("libraries") ? try object.value("libraries") : nil
    tasks = object.has("tasks") ? try object.value("tasks") : nil
    libraries = names?.map { AuditFigures.Library(name: $0) }
  }
}

/// This extension writes and reads the members itself, because a metric has other members here than in a history.
extension CheckedImage.Figure: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    if let sample = metric.sample { json.member("count", sample.count) }
    json.member("document", document)
    if let sample = metric.sample {
      json.member("high", ShortNumber(sample.high))
      json.member("low", ShortNumber(sample.low))
    }
    json.member("metric", metric.name)
    json.optional("pageSizeBytes", pageSize)
    json.member("source", source.rawValue)
    json.optional("state", state)
    json.member("unit", metric.unit.rawValue)
    json.member("value", ShortNumber(metric.value))
  }

  package init(_ object: JSONObject) throws(ParseError) {
    var sample: HistoryMetric.Sample?
    if object.has("count") {
      sample = HistoryMetric.Sample(
        low: try object.value("low"), high: try object.value("high"),
        count: try object.value("count"))
    }
    self.init(
      source: try object.value("source"), pageSize: try object.optional("pageSizeBytes"),
      state: try object.optional("state"),
      metric: HistoryMetric(
        try object.value("metric"), try object.value("unit"), .none,
        try object.value("value") as Double, sample: sample),
      document: try object.value("document"))
  }
}

extension CheckedImage.FirstTouch: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("segment", \.segment), member("function", \.function),
    member("pages", \.pages))
}
