import ByteReading
import FaultEstimate
import JSON
import PagesFormat

extension MeasuredPages: JSONReadableObject {
  /// Adds a member for each measured layout.
  func write(to json: inout JSONWriter) {
    if let after { json.object("after") { after.write(to: &$0) } }
    if let before { json.object("before") { before.write(to: &$0) } }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(before: try object.optional("before"), after: try object.optional("after"))
  }
}

extension MeasuredPages.Side: JSONReadableObject {
  /// `pages` has both counts for each page size. `causes` add up to `differences`, the pages of
  /// `pageSizeBytes` that are in only one of the two sets; `isExecuted` says in which.
  fileprivate func write(to json: inout JSONWriter) {
    json.array("causes") { json in
      for count in causes {
        json.object { json in
          json.member("cause", count.cause.rawValue)
          json.member("onlyExecuted", count.onlyExecuted)
          json.member("onlyPredicted", count.onlyPredicted)
        }
      }
    }
    json.array("command") { json in for word in command { json.element(word) } }
    if data != nil { json.member("countsLoading", countsLoading) }
    if let data {
      json.array("dataPages") { json in for row in data { json.object { row.write(to: &$0) } } }
    }
    if let predictedData {
      json.object("dataPrediction") { predictedData.write(to: &$0) }
    }
    json.array("differences") { json in
      for difference in differences { json.object { difference.write(to: &$0) } }
    }
    json.member("method", method)
    json.member("pageSizeBytes", pageSize)
    json.array("pages") { json in for count in counts { json.object { count.write(to: &$0) } } }
    json.object("pagesRead") { json in
      json.member("measured", pagesRead.measured)
      json.member("predicted", pagesRead.predicted)
    }
    json.member("path", path)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    let read = try object.object("pagesRead")
    self.init(
      path: try object.value("path"), method: try object.value("method"),
      command: try object.value("command"), pageSize: try object.value("pageSizeBytes"),
      counts: try object.value("pages"), differences: try object.value("differences"),
      pagesRead: MeasuredPages.PagesRead(
        predicted: try read.count("predicted"), measured: try read.count("measured")),
      data: try object.optional("dataPages"),
      countsLoading: try object.optional("countsLoading") ?? false)
    predictedData = try object.optional("dataPrediction")
  }
}

extension MeasuredPages.Count: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("error", error)
    json.member("measured", measured)
    json.member("pageSizeBytes", pageSize)
    json.member("predicted", predicted)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      pageSize: try object.value("pageSizeBytes"), predicted: try object.count("predicted"),
      measured: try object.count("measured"))
  }
}

extension MeasuredPages.Difference: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("address", address)
    json.member("cause", cause.rawValue)
    if let function { json.member("function", function) }
    json.member("isExecuted", isExecuted)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      address: try object.value("address"), isExecuted: try object.value("isExecuted"),
      cause: try object.value("cause"), function: try object.optional("function"))
  }
}

extension DataPageAccount: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("error", predicted - measured)
    json.member("measured", measured)
    json.array("onlyMeasured") { json in
      for count in onlyMeasured {
        json.object { json in
          json.member("by", count.toucher.rawValue)
          json.member("pages", count.pages)
        }
      }
    }
    json.member("onlyPredicted", onlyPredicted)
    json.member("pageSizeBytes", pageSize)
    json.member("predicted", predicted)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      pageSize: try object.value("pageSizeBytes"), predicted: try object.count("predicted"),
      measured: try object.count("measured"), onlyPredicted: try object.count("onlyPredicted"),
      onlyMeasured: try object.value("onlyMeasured"))
  }
}

extension DataPageAccount.Count: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(try object.value("by"), pages: try object.count("pages"))
  }
}

extension DataPageAccount.Toucher: JSONReadable {}

extension PageAccount.Cause: JSONReadable {}

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
