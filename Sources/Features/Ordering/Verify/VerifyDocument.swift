import ImageModel
import JSON
import PagesFormat

/// The result of `orderfile verify`: which entries of an order file the linker could follow in a build.
package struct VerifyDocument: Hashable, Sendable {
  /// What is wrong with an entry.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The builds have the function under another name.
    case renamed
    /// The builds have no function of the name, and no function, or several, that may be the same under another name.
    case missing
    /// The order file has an equal entry before, which the linker follows instead.
    case duplicate
    /// The builds have the name, but the linker can't place the symbol.
    case unorderable
    /// Several functions have the name, and the linker places all of them, or one. The entry is not stale.
    case ambiguous
  }

  /// An entry that is stale or ambiguous.
  package struct Problem: Hashable, Sendable {
    /// The line of the entry in the order file, from 1.
    package var line: Int
    package var name: SymbolName
    package var kind: Kind
    /// What the linker says about the entry, in lld's words where lld has a message. For an ambiguous entry, the number
    /// of functions with the name.
    package var reason: String
    /// The present name of the function; several names if nothing shows which one is right. Empty if no build has the
    /// function.
    package var presentNames: [SymbolName]

    package init(
      line: Int, name: SymbolName, kind: Kind, reason: String, presentNames: [SymbolName] = []
    ) {
      self.line = line
      self.name = name
      self.kind = kind
      self.reason = reason
      self.presentNames = presentNames
    }
  }

  /// The path of the order file.
  package var path: String
  /// The name of the order file's dialect: `lld`, `gold`.
  package var dialect: String
  /// The builds with which the order file was compared.
  package var images: [ImageReference]
  /// The number of entries that were looked up in the builds: all but `otherArchitectures`, `otherImages`,
  /// `unverifiedStrings` and `unverifiedSections`. The sections that a function may be in (`.text.f`, `.text.hot.f`)
  /// count as one entry.
  package var entries: Int
  /// The number of entries that name data which the builds have.
  package var dataEntries: Int
  /// The number of entries that are for other architectures than the builds'.
  package var otherArchitectures: Int
  /// The number of entries that are for other images than the builds, in a file with the orders of several images.
  package var otherImages = 0
  /// The number of lines that do not name one function: globs for many sections, string literals.
  package var patterns: Int
  /// The number of entries that name strings by their hashes.
  package var strings = 0
  /// The number of `strings` that can't be verified, because one of the builds is a link map.
  package var unverifiedStrings = 0
  /// The number of entries that name a section only. An image does not show which functions a section has.
  package var unverifiedSections = 0
  /// The code that the image prefetches when it starts. Of several images, the first image with anchors counts. `nil`
  /// if the order file lists no anchors.
  package var prefetch: PrefetchedRegion?
  /// The stale and ambiguous entries, in the order of the file.
  package var problems: [Problem]
  /// How many renamed entries were written, and where to; `nil` if no update was requested.
  package var update: Update?

  /// An order file that was written with present names.
  package struct Update: Hashable, Sendable {
    /// The path of the written order file; `-` is stdout.
    package var outputPath: String
    /// The number of renamed lines in the written order file.
    package var lines: Int

    package init(outputPath: String, lines: Int) {
      self.outputPath = outputPath
      self.lines = lines
    }
  }

  package init(
    path: String, dialect: String, images: [ImageReference], entries: Int,
    dataEntries: Int = 0, otherArchitectures: Int = 0, patterns: Int = 0, problems: [Problem] = [],
    update: Update? = nil
  ) {
    self.path = path
    self.dialect = dialect
    self.images = images
    self.entries = entries
    self.dataEntries = dataEntries
    self.otherArchitectures = otherArchitectures
    self.patterns = patterns
    self.problems = problems
    self.update = update
  }

  /// Whether no entry is for the builds. An empty file does not count as a file without stale entries.
  package var namesNothing: Bool { entries == 0 && strings == 0 }

  package func count(_ kind: Kind) -> Int { problems.count { $0.kind == kind } }

  /// The number of entries that the linker could not follow.
  package var stale: Int { problems.count { $0.kind != .ambiguous } }

  /// The number of entries that are stale after the update; without an update, the number of stale entries.
  package var staleAfterUpdate: Int { update == nil ? stale : stale - count(.renamed) }
}

extension VerifyDocument: JSONDocument {
  package static let schema = "orderfile.verify/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.member("ambiguous", count(.ambiguous))
    json.member("dataEntries", dataEntries)
    json.member("dialect", dialect)
    json.member("duplicate", count(.duplicate))
    json.member("entries", entries)
    json.array("images") { json in
      for image in images {
        json.object { json in
          json.optional("architecture", image.architecture)
          json.optional("id", image.id)
          json.member("path", image.path)
        }
      }
    }
    json.member("missing", count(.missing))
    json.member("otherArchitectures", otherArchitectures)
    if otherImages > 0 { json.member("otherImages", otherImages) }
    json.member("path", path)
    json.member("patterns", patterns)
    json.optional("prefetch", prefetch)
    json.member("present", entries - stale)
    json.member("problems", problems)
    json.member("renamed", count(.renamed))
    json.member("schema", Self.schema)
    json.member("stale", stale)
    json.member("strings", strings)
    json.member("unorderable", count(.unorderable))
    if unverifiedSections > 0 { json.member("unverifiedSections", unverifiedSections) }
    if unverifiedStrings > 0 { json.member("unverifiedStrings", unverifiedStrings) }
    if let update {
      json.object("update") { json in
        json.member("lines", update.lines)
        json.member("outputPath", update.outputPath)
        json.member("staleAfterUpdate", staleAfterUpdate)
      }
    }
  }
}

extension VerifyDocument.Problem: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("kind", kind.rawValue)
    json.member("line", line)
    json.member("name", name)
    if !presentNames.isEmpty { json.member("presentNames", presentNames) }
    json.member("reason", reason)
  }
}
