// What puts an order file into the normal build of a project, for each build system: as little as possible, in files of
// its own, so that the project's own files get one line at most. Each takes app.order if it is there, links again if it
// changes, and builds as before without it.

import ImageModel

/// The changes of a project that make its own build link in the order of `app.order`.
package struct BuildIntegration: Hashable, Sendable {
  package let edits: [ProjectEdit]
  /// How the project is built from then on.
  package let build: String

  /// The order file, in the project's folder.
  package static let order = "app.order"
  private static let emptyOrder = "# orderfile gen -o app.order\n"

  /// - Parameters:
  ///   - system: the name of the build system.
  ///   - description: the contents of its file that describes the project.
  /// - Throws: if a build of this kind has no place for it, with what to do instead.
  package init(of system: String, describedBy description: String) throws(Diagnostic) {
    let order = ProjectEdit(Self.order, .userFile(Self.emptyOrder))
    switch system {
    case "cmake":
      edits = [
        order, ProjectEdit("orderfile.cmake", .file(Self.cmake)),
        ProjectEdit(
          "CMakeLists.txt",
          .line("include(orderfile.cmake OPTIONAL)  # \(ProjectEdit.mark)", behind: "project")),
      ]
      build = "cmake -B build && cmake --build build"
    case "meson":
      edits = [
        order, ProjectEdit("orderfile/meson.build", .file(Self.meson(description))),
        ProjectEdit(
          "meson.build", .line("subdir('orderfile')  # \(ProjectEdit.mark)", behind: "project")),
      ]
      build = "meson setup build && meson compile -C build"
    case "cargo":
      try Self.checkManifest(description)
      edits = [order, ProjectEdit("build.rs", .file(Self.cargo))]
      build = "cargo build --release"
    case "swiftpm":
      edits = [order, ProjectEdit("orderfile.json", .file(Self.toolset))]
      build = "swift build -c release --toolset orderfile.json"
    default:
      throw Diagnostic(
        "\(system) has no file that every project reads: its flags are given to the commands",
        hint: "orderfile flags make --program PROGRAM prints the commands", severity: .usage)
    }
  }

  private static func checkManifest(_ manifest: String) throws(Diagnostic) {
    let lines = manifest.split(whereSeparator: \.isNewline).map { $0.filter { $0 != " " } }
    guard lines.contains("[package]") else {
      throw Diagnostic(
        "a workspace without a package of its own", context: ["Cargo.toml"],
        hint: "give the folder of the package with the program", severity: .usage)
    }
    if let line = lines.first(where: { $0.hasPrefix("build=") }) {
      throw Diagnostic(
        "the package has a build script of its own: \(line)", context: ["Cargo.toml"],
        hint: "add the lines of docs/INIT.md to it", severity: .usage)
    }
  }

  /// The package that `find_package(orderfile)` reads, in a file of the project, so that it needs no installation.
  private static let cmake =
    "# Written by 'orderfile init'.\n"
    + String(decoding: PackageResources.orderfileConfig_cmake, as: UTF8.self)
    + "\norderfile_project(ORDER app.order)\n"

  /// - Parameter description: which names the languages.
  private static func meson(_ description: String) -> String {
    let bytes = Array(description.utf8)
    let end = ProjectEdit.endOfCall("project", in: bytes) ?? bytes.count
    let call = String(decoding: bytes[..<end], as: UTF8.self)
    let languages = ["c", "cpp"].filter { call.contains("'\($0)'") }.map { "'\($0)'" }
    let list = "[\(languages.joined(separator: ", "))]"
    return """
      # Links all images of this project in the order of app.order, if it is there. Written by 'orderfile init'.
      orderfile_fs = import('fs')
      orderfile_order = meson.project_source_root() / 'app.order'
      orderfile_used = find_program('ld.lld', required : false).found()
      # Elsewhere linkers have other options.
      if host_machine.system() not in ['linux', 'android', 'freebsd']
        orderfile_used = false
      # 'orderfile auto' gives its own order files.
      elif run_command('printenv', 'ORDERFILE_LINKS', check : false).returncode() == 0
        orderfile_used = false
      endif
      if orderfile_used
        add_project_arguments('-ffunction-sections', language : \(list))
        add_project_link_arguments('-fuse-ld=lld', '-Wl,--build-id', language : \(list))
        if orderfile_fs.exists(orderfile_order)
          # The copy has a name for these contents, so that other contents link everything again.
          orderfile_copy = 'app-' + orderfile_fs.hash(orderfile_order, 'sha256') + '.order'
          configure_file(input : orderfile_order, output : orderfile_copy, copy : true)
          add_project_link_arguments(
            '-Xlinker', '--symbol-ordering-file=' + meson.current_build_dir() / orderfile_copy,
            '-Wl,--no-warn-symbol-ordering', language : \(list))
        endif
      endif

      """
  }

  private static let cargo = """
    //! Links this package in the order of app.order, if it is there. Written by 'orderfile init'.

    fn main() {
        let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
        let order = std::path::Path::new(&folder).join("app.order");
        println!("cargo:rerun-if-changed=build.rs");
        println!("cargo:rerun-if-changed={}", order.display());
        println!("cargo:rerun-if-env-changed=ORDERFILE_LINKS");
        let is_linux = std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux");
        // 'orderfile auto' gives its own order files.
        let is_auto = std::env::var_os("ORDERFILE_LINKS").is_some();
        if is_linux && !is_auto && order.exists() {
            let option = format!("--symbol-ordering-file={}", order.display());
            for word in ["-fuse-ld=lld", "-Wl,--build-id", "-Wl,--no-warn-symbol-ordering", "-Xlinker", &option] {
                println!("cargo:rustc-link-arg={word}");
            }
        }
    }

    """

  private static let toolset = """
    {
      "schemaVersion": "1.0",
      "swiftCompiler": { "extraCLIOptions": ["-Xfrontend", "-function-sections", "-use-ld=lld"] },
      "cCompiler": { "extraCLIOptions": ["-ffunction-sections"] },
      "cxxCompiler": { "extraCLIOptions": ["-ffunction-sections"] },
      "linker": {
        "extraCLIOptions": ["--build-id", "--symbol-ordering-file=app.order", "--no-warn-symbol-ordering"]
      }
    }

    """
}
