import ImageModel
import JSON
import Rendering

/// Tables are stored by column: the members of `functions`, `sections`, `touched` and so on are arrays of equal length.
/// Names are numbers, indexes into `names` (for people) and `symbols` (as in the symbol table: the characters `shared` with the
/// one before, and the `rest`; without any if it is the same as the name); -1 is no name. Addresses count in bytes from `base`. Some columns are stored as what each value adds to the one before:
/// the names of `functions`, `pages` (page numbers from `base`), the times of `hits` and `faults`, the steps of `touched`, and all of
/// `curve`. The `gap` of a function is that to the end of the one before. What is `touched` of a function begins at
/// `offset` from its start, and has `size` bytes, -1 for all up to the function's end; of no function, it begins at `offset`
/// from `base`.
/// A section's `kind` is 1 for read-only, 2 for code, 3 for data. `access` is 0 for execute, 1 read, 2 write, 3 kernel.
/// `pages` and `curve` are of all that is predicted to be touched, `touched` is its bytes, by step; `measured` is
/// measured; so are `faults`, of which `address` is -1 outside of the layout's image, `kind` is 1 for a major fault, `name`
/// is what was accessed and `by` the function that did it, and `parts` says of each of `places` whether it is code of the
/// image (0), something else in it (1), another file (2) or memory without a file (3). `owners` counts all functions; `functions` has those on touched pages; its `launches` is the number of
/// launches that use each, if there were several. In `pageOwners` the empty name is an unknown owner, -1 a page without
/// functions. `outcomes` counts the limits of a check by their outcome. `limits` says what the report lacks because there is too much of it.
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
    let shown = names.symbols.map { (symbol: $0.description, name: wording($0)) }
    json.column("names", shown.map(\.name))
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
