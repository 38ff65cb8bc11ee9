import ImageModel

/// A language whose projects `auto` can't order.
package struct UnsupportedLanguage: Hashable, Sendable {
  /// The name of the language, such as `Go`.
  package let name: String
  private let reason: String
  /// The files that identify a project of the language. A name that begins with a dot is a file name extension.
  private let files: [String]
  /// The commands that build such a project.
  private let commands: [String]

  private static let unknownCompiler = "'orderfile' does not know its compiler"
  private static let virtualMachine = "a virtual machine loads its programs"

  private static let all = [
    Self(
      name: "Go", reason: "its linker takes no order files", files: ["go.mod", "go.work"],
      commands: ["go"]),
    Self(
      name: "Zig",
      reason: "its compiler links without calling a linker, so 'auto' can't add an order file",
      files: ["build.zig"], commands: ["zig"]),
    Self(
      name: "D", reason: unknownCompiler, files: ["dub.json", "dub.sdl"],
      commands: ["dub", "dmd", "ldc2", "gdc"]),
    Self(
      name: "Java", reason: virtualMachine,
      files: ["pom.xml", "build.gradle", "build.gradle.kts", "build.sbt"],
      commands: ["mvn", "gradle", "gradlew", "sbt", "javac"]),
    Self(name: "C#", reason: virtualMachine, files: [".csproj"], commands: ["dotnet"]),
  ]

  package static let go = all[0]

  private init(name: String, reason: String, files: [String], commands: [String]) {
    self.name = name
    self.reason = reason
    self.files = files
    self.commands = commands
  }

  /// The language of a folder with the files `names`; `nil` if none of the files belongs to an unsupported language.
  package init?(filesNamed names: some Sequence<String>) {
    let names = Array(names)
    let found = Self.all.first { language in
      language.files.contains { file in
        names.contains { file.hasPrefix(".") ? $0.hasSuffix(file) : $0 == file }
      }
    }
    guard let found else { return nil }
    self = found
  }

  /// The language that a build command compiles; `nil` if the command is another one.
  package init?(command words: [String]) {
    guard let word = words.first else { return nil }
    let name = fileName(ofPath: word)
    guard let found = Self.all.first(where: { $0.commands.contains(name) }) else { return nil }
    self = found
  }

  /// The message, such as `Go: its linker takes no order files; docs/how-to/LANGUAGES.md lists the languages that
  /// orderfile works with`.
  package var wording: String {
    "\(name): \(reason); docs/how-to/LANGUAGES.md lists the languages that orderfile works with"
  }

  /// - Parameter context: the project, or the command that builds it.
  package func error(_ context: String) -> Diagnostic {
    Diagnostic("unsupported language: \(wording)", context: [context], severity: .usage)
  }
}
