import ImageModel
import JSON
import Rendering

/// Tables are stored by column: the members of `functions`, `sections`, `touched` and so on are arrays of equal length.
///
/// - Names are numbers, indexes into `names` and `symbols`; -1 is no name. `names` are for people. `symbols` are the
///   names in the symbol table: each is the number of characters that it shares with the symbol before (`shared`), and
///   the `rest`. A symbol that is the same as the name for people has `shared` 0 and an empty `rest`.
/// - Addresses are in bytes from `base`.
/// - Some columns have the difference between each value and the value before it: the names of `functions`, the page
///   numbers of `pages` (from `base`), the times of `hits` and `faults`, the steps of `touched`, and all columns of
///   `curve`.
/// - The `gap` of a function is the distance from the end of the function before it.
/// - A row of `touched` begins at `offset` from the start of its function, or from `base` if it has no function. It has
///   `size` bytes; -1 means all bytes up to the end of the function.
/// - A section's `kind` is 1 for read-only, 2 for code, 3 for data. A fault's `kind` is 1 for a major fault, else 0.
///   `access` is 0 for execute, 1 for read, 2 for write, 3 for the kernel.
/// - `pages` and `curve` are predicted: they cover everything that is predicted to be touched. `touched` has the bytes
///   that are predicted to be touched, by step. `measured` and `faults` are measured.
/// - In `faults`, `address` is -1 outside the layout's image, `name` is the function or variable that was accessed, and
///   `by` is the function that accessed it. `parts` classifies each of `places`: code of the image (0), something else
///   in the image (1), another file (2), memory without a file (3).
/// - `nextSteps` has the steps that would save pages, of all documents.
/// - `owners` counts all functions; `functions` has the functions on touched pages. The `launches` of a function, which
///   exist only if there were several launches, are the number of launches that use it.
/// - In `pageOwners`, the empty name is an unknown owner, and -1 is a page without functions.
/// - `symbolChanges` has the bytes of symbols with another size in the layout after, -1 in a layout without the symbol. `others`
///   is the number of smaller changes that are left out.
/// - `outsideOrder` has the addresses of startup functions of the layout after that the linker did not place by the order
///   file; it exists only with an order file and two layouts.
/// - `outcomes` has the number of limits of a check for each outcome. `limits` are sentences about what the report
///   lacks because there is too much of it.
extension ReportDocument: JSONDocument {
  package static let schema = "orderfile.report/1"

  package func writeMembers(to json: inout JSONWriter) { write(to: &json) { $0.description } }

  /// - Parameter wording: how names are shown to people.
  package func write(to json: inout JSONWriter, wording: NameWording) {
    var names = ReportNames()
    // Functions come first, so that neighbors have numbers and names that are alike: they deflate to less.
    let functions = layouts.map { $0.shownFunctions(pageSize) }
    for (layout, functions) in zip(layouts, functions) {
      for function in functions { _ = names.number(of: layout.name(of: function)) }
    }
    json.array("absent") { json in
      for absent in absentViews {
        json.object { json in
          json.member("command", absent.command)
          json.member("view", absent.view)
        }
      }
    }
    json.object("documents") { writeDocuments(to: &$0) }
    json.array("faults") { json in
      for one in faults { json.object { one.write(to: &$0, layouts, &names) } }
    }
    if let launch { json.object("hits") { launch.writeHits(to: &$0, &names) } }
    json.array("layouts") { json in
      for (layout, functions) in zip(layouts, functions) {
        json.object { layout.write(functions, to: &$0, pageSize, &names) }
      }
    }
    json.array("limits") { json in for limit in limits { json.element("\(limit)") } }
    if let launch { json.object("marks") { launch.writeMarks(to: &$0, &names) } }
    if measuresOtherBuilds { json.member("measuresOtherBuilds", true) }
    if bothLayouts != nil {
      json.object("symbolChanges") { writeSymbolChanges(to: &$0, &names) }
    }
    let shown = names.symbols.map { (symbol: $0.description, name: wording($0)) }
    json.column("names", shown.map(\.name))
    json.member("nextSteps", nextSteps)
    json.array("otherLayouts") { json in
      for layout in otherLayouts {
        json.object { json in
          json.object("curve") { $0.curve(layout.curve) }
          json.member("path", layout.path)
        }
      }
    }
    if check != nil {
      json.array("outcomes") { json in
        for (outcome, limits) in outcomes {
          json.object { json in
            json.member("limits", limits)
            json.member("outcome", outcome)
          }
        }
      }
    }
    if let outsideOrder { json.column("outsideOrder", outsideOrder) }
    json.member("pageSizeBytes", pageSize)
    json.member("schema", Self.schema)
    json.member("stages", stages)
    json.object("symbols") { json in
      let symbols = unshared(shown.map { $0.symbol == $0.name ? "" : $0.symbol })
      json.column("rest", symbols.map(\.rest))
      json.column("shared", symbols.map(\.shared))
    }
    json.member("title", title)
    json.column("traces", traces)
    json.column("unproved", unproved)
  }

  private func writeSymbolChanges(to json: inout JSONWriter, _ names: inout ReportNames) {
    let shown = symbolChanges.prefix(SymbolChange.most)
    json.column("after", shown.map { $0.after.map { Int(clamping: $0) } ?? -1 })
    json.column("before", shown.map { $0.before.map { Int(clamping: $0) } ?? -1 })
    json.column("name", shown.map { names.number(of: $0.name) })
    json.member("others", symbolChanges.count - shown.count)
  }

  private func writeDocuments(to json: inout JSONWriter) {
    if let budget { json.member("budget", budget) }
    if let check { json.member("check", check) }
    json.optional("diff", diff)
    if !history.isEmpty {
      json.array("history") { json in for entry in history { json.element(entry) } }
    }
    json.optional("measure", measure)
    if let trend { json.member("trend", trend) }
  }
}

extension ReportLaunch {
  private var start: UInt64 { hits.first?.nanoseconds ?? 0 }

  private func microseconds(_ nanoseconds: UInt64) -> Int {
    nanoseconds < start ? 0 : Int(clamping: (nanoseconds - start) / 1000)
  }

  fileprivate func writeHits(to json: inout JSONWriter, _ names: inout ReportNames) {
    json.column("microseconds", differences(hits.map { microseconds($0.nanoseconds) }))
    json.column("name", hits.map { names.number(of: $0.name) })
    json.member("path", path)
    json.column("thread", hits.map(\.thread))
  }

  fileprivate func writeMarks(to json: inout JSONWriter, _ names: inout ReportNames) {
    json.column("microseconds", marks.map { microseconds($0.nanoseconds) })
    json.column("name", marks.map { names.number(of: SymbolName($0.name)) })
  }
}
