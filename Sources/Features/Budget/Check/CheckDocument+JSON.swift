import ByteReading
import ImageModel
import JSON
import PagesFormat
import Rendering

/// `base` names the documents of the base. `baseIsMissing` says why there are none, or which documents do not exist.
/// `limits` has a verdict for each requirement of a limit, with the `line` of the budget, or the `option` of the command
/// line. `renewal` has the commands that renew a stale order file. The `pages` of a cause are
/// shares, which add up. `causes` has the first hundred causes, and `furtherCauses` the number of the others. `images`
/// has the figures that a later check compares with this one.
///
/// This extension writes and reads the members itself: each image and each limit begins a line, and `strict` is written
/// only if it is true.
extension CheckDocument: ReadableDocument {
  package static let schema = "orderfile.check/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.member("base", base)
    json.optional("baseIsMissing", baseIsMissing)
    json.member("budget", budget)
    json.array("images") { json in
      for image in images { json.object(isInline: false) { image.writeMembers(to: &$0) } }
    }
    json.array("limits") { json in
      for result in results { json.object(isInline: false) { result.writeMembers(to: &$0) } }
    }
    json.member("nextSteps", nextSteps)
    json.member("outcome", outcome.rawValue)
    json.member("schema", Self.schema)
    if isStrict { json.member("strict", true) }
  }

  /// - Throws: `missing` or `invalid` if `bytes` are no such document, or name a figure that no budget has.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    self.init(
      budget: try object.value("budget"), base: try object.value("base"),
      baseIsMissing: try object.optional("baseIsMissing"), results: try object.value("limits"),
      images: try object.value("images"))
    isStrict = try object.optional("strict") ?? false
    nextSteps = try object.optional("nextSteps") ?? []
  }
}

extension CheckOutcome: JSONReadable {}

/// This extension writes and reads the members itself, because a requirement is in one of three members, and the
/// interval is in two.
extension CheckResult: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    if case .against(let allowance) = requirement {
      json.member("againstBase", allowance.description)
    }
    if let base { json.member("base", ShortNumber(base)) }
    json.member("causes", causes)
    json.optional("document", document)
    if furtherCauses > 0 { json.member("furtherCauses", furtherCauses) }
    if let interval { json.member("high", interval.upperBound) }
    json.member("image", image)
    json.optional("launchesNeeded", launchesNeeded)
    if option == nil { json.member("line", line) }
    if let interval { json.member("low", interval.lowerBound) }
    if case .atMost(let bound) = requirement { json.member("max", bound) }
    json.member("metric", figure.id)
    if case .atLeast(let bound) = requirement { json.member("min", bound) }
    json.optional("option", option)
    json.member("outcome", outcome.rawValue)
    json.optional("pageSizeBytes", pageSize)
    json.optional("reason", reason)
    if !renewal.isEmpty { json.member("renewal", renewal) }
    json.member("requirement", requirementWording)
    json.optional("state", state)
    json.member("value", ShortNumber(value))
  }

  package init(_ object: JSONObject) throws(ParseError) {
    let metric: String = try object.value("metric")
    guard let figure = BudgetFigure(id: metric) else {
      throw object.invalid(
        "metric", expected: BudgetFigure.known(like: metric), found: "'\(printable(metric))'")
    }
    self.init(
      image: try object.value("image"), figure: figure,
      pageSize: try object.optional("pageSizeBytes"), state: try object.optional("state"),
      requirement: try Self.requirement(object, of: figure),
      line: object.has("line") ? try object.count("line") : 1,
      value: try object.finite("value"), base: try object.has("base") ? object.finite("base") : nil,
      interval: try Self.interval(object), outcome: try object.value("outcome"),
      reason: try object.optional("reason"), launchesNeeded: try object.optional("launchesNeeded"))
    document = try object.optional("document")
    option = try object.optional("option")
    renewal = try object.optional("renewal") ?? []
    let known: [RegressionCause] = try object.value("causes")
    let others = object.has("furtherCauses") ? try object.count("furtherCauses") : 0
    guard known.count <= Self.mostCauses else {
      throw object.invalid(
        "causes", expected: "at most \(Self.mostCauses)", found: "\(known.count)")
    }
    setCauses(known, further: others)
  }

  private static func requirement(
    _ object: JSONObject, of figure: BudgetFigure
  ) throws(ParseError) -> Requirement {
    if let bound: Bound = try object.optional("max") { return .atMost(bound) }
    if let bound: Bound = try object.optional("min") { return .atLeast(bound) }
    guard let text: String = try object.optional("againstBase") else {
      return figure.source == .tasks ? .allowedTasks : .allowedLibraries
    }
    guard let allowance = Allowance(text) else {
      throw object.invalid("againstBase", expected: "'+2' or '+2%'", found: "'\(printable(text))'")
    }
    return .against(allowance)
  }

  private static func interval(_ object: JSONObject) throws(ParseError) -> ClosedRange<Double>? {
    guard object.has("low") || object.has("high") else { return nil }
    let (low, high) = (try object.finite("low"), try object.finite("high"))
    guard low <= high else {
      throw object.invalid("high", expected: "at least low, \(low)", found: "\(high)")
    }
    return low...high
  }
}

extension RegressionCause.Kind: JSONReadable {}

/// This extension writes and reads the members itself, because the pages are checked, and `unordered` is written only
/// if it is true.
extension RegressionCause: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("bytes", bytes)
    json.member("kind", kind.rawValue)
    json.member("name", name)
    if let pages { json.member("pages", ShortNumber(pages)) }
    json.optional("reason", reason)
    if isUnordered { json.member("unordered", true) }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      try object.value("kind"), try object.value("name"), bytes: try object.optional("bytes"),
      pages: try object.has("pages") ? object.finite("pages") : nil,
      reason: try object.optional("reason"),
      isUnordered: try object.optional("unordered") ?? false)
  }
}

extension JSONObject {
  /// Reads a figure, or the share by which a figure has changed. Its magnitude is limited so that its whole part is an
  /// integer.
  fileprivate func finite(_ key: String) throws(ParseError) -> Double {
    let value: Double = try self.value(key)
    guard abs(value) < 1e18 else {
      throw invalid(key, expected: "a figure", found: "\(value)")
    }
    return value
  }
}
