import ByteReading
import FaultEstimate
import JSON
import PagesFormat
import Rendering

extension MeasuredPages: JSONListedObject {
  /// The document has a member for each measured layout.
  package static let members = JSONMembers(
    Self.init, optionalMember("before", \.before), optionalMember("after", \.after))
}

extension MeasuredPages.Side: JSONListedObject {
  /// `pages` has both counts for each page size. `causes` add up to `differences`, the pages of `pageSizeBytes` that
  /// are only predicted or only executed. `isExecuted` says which.
  package static let members = JSONMembers(
    Self.init, inlineMembers(\.source), member("pageSizeBytes", \.pageSize),
    member("pages", \.counts),
    member("differences", \.differences), member("pagesRead", \.pagesRead),
    optionalMember("dataPages", \.data), optionalMember("dataPrediction", \.predictedData),
    JSONMember("countsLoading") { (object, key) throws(ParseError) in
      try object.optional(key) ?? false
    } write: {
      if $0.data != nil { $2.member($1, $0.countsLoading) }
    }
  ).writing("causes", \.causes)
}

extension MeasuredPages.Source: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("path", \.path), member("method", \.method), member("command", \.command))
}

extension MeasuredPages.Count: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("pageSizeBytes", \.pageSize), countMember("predicted", \.predicted),
    countMember("measured", \.measured)
  ).writing("error", \.error)
}

extension MeasuredPages.PagesRead: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, countMember("predicted", \.predicted), countMember("measured", \.measured))
}

extension MeasuredPages.CauseCount: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("cause", cause)
    json.member("onlyExecuted", onlyExecuted)
    json.member("onlyPredicted", onlyPredicted)
  }
}

extension MeasuredPages.Difference: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("address", \.address), member("isExecuted", \.isExecuted),
    member("cause", \.cause), optionalMember("function", \.function))
}

extension DataPageAccount: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("pageSizeBytes", \.pageSize), countMember("predicted", \.predicted),
    countMember("measured", \.measured), countMember("onlyPredicted", \.onlyPredicted),
    member("onlyMeasured", \.onlyMeasured)
  ).writing("error") { $0.predicted - $0.measured }
}

extension DataPageAccount.Count: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("by", \.toucher), countMember("pages", \.pages))
}

extension DataPageAccount.Toucher: JSONReadable, JSONValue {}

extension PageAccount.Cause: JSONReadable, JSONValue {}

extension DataPages.Row: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      section: try object.optional("section"), segment: try object.value("segment"),
      accessor: try object.value("accessor"),
      pages: [
        try object.count("pages"), try object.count("pages16k"), try object.count("pages64k"),
      ])
  }
}
