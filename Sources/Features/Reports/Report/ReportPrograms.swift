// Are the documents of a report about one program?
//
// Layouts and the documents of `pages`, `faults`, `diff` and `measure` state the images that they are about. Histories
// state file names and architectures, and budgets state file names. Two files are about the same program if they share
// an image ID that proves a build. If both have such IDs and share none, they are about different builds. Otherwise
// they must share a file name and, if both state architectures, an architecture; the report then says that they state
// too little. It says the same about a file that states no image, such as a log.

import CommandSupport
import ImageModel
import PagesFormat

/// The images that a file of a report is about.
struct ReportPrograms {
  /// The path of the file, for messages.
  fileprivate let path: String
  private var names: Set<String> = []
  /// The image IDs, if all of them prove a build.
  private var ids: Set<String> = []
  private var architectures: Set<String> = []

  fileprivate init(_ path: String, _ images: [ImageReference] = [], paths: [String] = []) {
    self.path = path
    // Link maps are left out, because a link map may have any file name.
    let images = images.filter { $0.id != nil || !$0.name.hasSuffix(".map") }
    self.names = Set(images.map(\.name) + paths.map { fileName(ofPath: $0) })
    architectures = Set(images.compactMap { $0.architecture?.description })
    if !images.isEmpty, images.allSatisfy(\.hasProof) { ids = Set(images.compactMap(\.id)) }
  }

  fileprivate mutating func add(_ architectures: [String]) {
    self.architectures.formUnion(architectures)
  }

  private var isKnown: Bool { !names.isEmpty || !ids.isEmpty }

  /// - Throws: `mismatch` if `other` is about another program.
  /// - Returns: whether something proves that both are about one program.
  fileprivate func check(_ other: ReportPrograms) throws(Diagnostic) -> Bool {
    guard isKnown, other.isKnown else { return false }
    if !architectures.isEmpty, !other.architectures.isEmpty,
      architectures.isDisjoint(with: other.architectures)
    {
      throw mismatch("architecture", architectures, other, other.architectures)
    }
    if !ids.isDisjoint(with: other.ids) { return true }
    guard !names.isDisjoint(with: other.names) else {
      throw mismatch("program", names, other, other.names)
    }
    guard ids.isEmpty || other.ids.isEmpty else {
      throw mismatch("image ID", ids, other, other.ids)
    }
    return false
  }

  private func mismatch(
    _ kind: String, _ expected: Set<String>, _ other: ReportPrograms, _ found: Set<String>
  ) -> Diagnostic {
    func list(_ names: Set<String>) -> String {
      let few = names.sorted().prefix(3).joined(separator: ", ")
      return names.count > 3 ? "\(few) and \(names.count - 3) more" : few
    }
    return Diagnostic(
      "\(kind) mismatch: expected \(list(expected)) of \(path), found \(list(found))",
      context: [other.path], hint: "give the documents of one program", severity: .mismatch)
  }
}

extension ReportInputs {
  /// Checks that all files are about the program of `layouts`; without layouts, about the program of the first file.
  ///
  /// - Returns: a sentence for each file that states too little to prove this.
  /// - Throws: `mismatch` if a file is about another program.
  func check(_ layouts: [ReportLayout]) throws(Diagnostic) -> [String] {
    let all =
      (layouts.isEmpty ? [] : [ReportPrograms(layouts[0].path, layouts.map(\.image))]) + documents
    guard let first = all.first else { return [] }
    var unproved: [String] = []
    for other in all.dropFirst() where try !first.check(other) {
      unproved.append("\(other.path) states too little to check that it is about this program")
    }
    return unproved
  }

  private var documents: [ReportPrograms] {
    var all: [ReportPrograms] = []
    if let diff {
      all.append(
        ReportPrograms(diff.path, [diff.document.before.image, diff.document.after.image]))
    }
    if let measure {
      let images = measure.document.states.first?.sides.flatMap(\.images) ?? []
      all.append(
        ReportPrograms(measure.path, measure.document.programs.map(\.program), paths: images))
    }
    for launch in faults {
      // All files with faults are compared, because the layouts may be of a library of the launched program.
      let files = launch.document.files
      let proved = files.filter(\.hasProof)
      all.append(ReportPrograms(launch.path, proved.isEmpty ? Array(files.prefix(1)) : proved))
    }
    for table in stages {
      // Images without an ID, such as the kernel's, prove nothing. A log has no images.
      all.append(ReportPrograms(table.path, table.document.images.filter(\.hasProof)))
    }
    if let history {
      let series = history.document.entries.map(\.series)
      var programs = ReportPrograms(history.path, paths: series.map(\.image))
      programs.add(series.map(\.architecture))
      all.append(programs)
    }
    if let budget {
      all.append(ReportPrograms(budget.path, paths: budget.document.limits.compactMap(\.image)))
    }
    if let check {
      all.append(ReportPrograms(check.path, check.document.images.map(\.reference)))
    }
    return all
  }
}
