import ByteReading
import Foundation
import LinkMapFormat
import TestSupport
import Testing

/// Link maps that real linkers write in all languages for which they have catalogs.
@Suite(.needs("gcc", "ld.bfd", "ld.gold")) struct TranslatedLinkMapIntegrations {
  struct Language: CustomTestStringConvertible, Sendable {
    var linker: String
    var name: String
    var testDescription: String { "\(linker) \(name)" }

    /// The languages of the installed catalogs: `/usr/share/locale/fr/LC_MESSAGES/ld.mo`.
    static let all = [("bfd", "ld"), ("gold", "gold")].flatMap { linker, catalog in
      ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/share/locale")) ?? []).sorted()
        .filter {
          FileManager.default.fileExists(
            atPath: "/usr/share/locale/\($0)/LC_MESSAGES/\(catalog).mo")
        }.map { Language(linker: linker, name: $0) }
    }
  }

  /// An archive, a common symbol, a section that nothing uses, and tables of cross references: all parts of a map.
  private static let objects = PreparedFolder<Workshop> { workshop in
    try workshop.write(
      """
      int shared; extern int helper(int);
      int unused(int n) { return n * 3; }
      int main(void) { return helper(shared); }
      """.utf8, "main.c")
    try workshop.write("int shared; int helper(int n) { return n + shared; }".utf8, "helper.c")
    for command in [
      "gcc -c -fcommon -ffunction-sections main.c helper.c", "ar rc libhelper.a helper.o",
    ] {
      let words = command.split(separator: " ").map(String.init)
      let run = try workshop.run(words[0], Array(words.dropFirst()))
      try #require(run.status == 0, "\(run.output)")
    }
  }

  private func map(
    _ workshop: Workshop, _ linker: String, language: String
  ) throws -> (text: String, dump: String) {
    // The language "C" would turn translation off.
    let run = try workshop.run(
      "env",
      [
        "LC_ALL=C.UTF-8", "LANGUAGE=\(language)", "gcc", "-fuse-ld=\(linker)", "-Wl,--gc-sections",
        "-Wl,--cref", "-Wl,-Map=app.map", "main.o", "-L.", "-lhelper", "-o", "app",
      ])
    try #require(run.status == 0, "\(run.output)")
    let bytes = try Array(Data(contentsOf: workshop.folder.appendingPathComponent("app.map")))
    // gold translates the names of its own pieces, too: `(** relleno)`.
    let dump = try LinkMap(parsing: FileBytes(bytes)).dump()
      .replacing(/\(\*\* [^)]*\)/, with: "(piece)")
    return (String(decoding: bytes, as: UTF8.self), dump)
  }

  @Test(arguments: Language.all) func aMapReadsTheSameInEachLanguage(_ language: Language) throws {
    let workshop = try Self.objects.copy()
    let english = try map(workshop, language.linker, language: "en")
    let translated = try map(workshop, language.linker, language: language.name)
    #expect(translated.dump == english.dump)
    #expect(english.dump.contains("discarded section .text.unused"))
    // The German catalog of GNU ld has none of the titles.
    #expect((translated.text != english.text) == (language.testDescription != "bfd de"))
  }
}
