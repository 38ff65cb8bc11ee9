// The changes that put an order file into the normal build of a project, for each build system. They are as small as
// possible: new files, and at most one line in a file of the project. With these changes the build uses app.order if
// the file exists, links again if the file changes, and builds as before if there is no such file.

import CommandSupport
import ImageModel

/// The changes of a project that make its own build link in the order of `app.order`.
package struct BuildIntegration: Hashable, Sendable {
  package let edits: [ProjectEdit]
  /// The reason why this project can't be changed, and what to do instead; `nil` if it can be changed.
  package let obstacle: Diagnostic?

  /// The path of the order file, relative to the project's folder.
  package static let order = "app.order"
  private static let emptyOrder = "# orderfile gen -o app.order\n"

  /// - Parameter description: the contents of the file that describes the project.
  package init(in place: OrderFilePlace, describedBy description: String) {
    let order = ProjectEdit(Self.order, .userFile(Self.emptyOrder))
    switch place {
    case .cmakeFile:
      edits = [
        order, ProjectEdit("orderfile.cmake", .file(Self.cmake, comment: "#")),
        ProjectEdit(
          "CMakeLists.txt",
          .line(
            "include(orderfile.cmake OPTIONAL)  # \(ProjectEdit.mark)",
            behind: ProjectEdit.Call("project", in: "cmake"))),
      ]
      obstacle = nil
    case .mesonFolder:
      let languages = Self.languages(ofMesonProject: description)
      edits = [
        order, ProjectEdit("orderfile/meson.build", .file(Self.meson(languages), comment: "#")),
        ProjectEdit(
          "meson.build",
          .line(
            "subdir('orderfile')  # \(ProjectEdit.mark)",
            behind: ProjectEdit.Call("project", in: "meson"))),
      ]
      obstacle = languages.isEmpty ? Self.noLanguage : nil
    case .cargoBuildScript:
      edits = [order, ProjectEdit("build.rs", .file(Self.cargo, comment: "//"))]
      obstacle = Self.obstacle(inManifest: description)
    case .swiftToolset:
      edits = [order, ProjectEdit("orderfile.json", .file(Self.toolset, comment: nil))]
      obstacle = nil
    }
  }

  /// The hint for builds that `init` does not change.
  static let otherBuilds =
    "'orderfile init --print make --program PROGRAM' prints commands for make and any other build"

  private static func obstacle(inManifest manifest: String) -> Diagnostic? {
    let lines = CargoSettings(manifest).lines.filter { $0.table == "[package]" }
    if let line = lines.first(where: { $0.setting.hasPrefix("build=") }) {
      return line.setting == "build=false"
        ? Diagnostic(
          "the package turns build scripts off: build = false", context: ["Cargo.toml"],
          hint: "remove that line", severity: .usage)
        : Diagnostic(
          "the package already has a build script: \(line.text.withoutBlanksAround)",
          context: ["Cargo.toml"],
          hint: "call link_in_order() in that build script: docs/how-to/INIT.md",
          severity: .usage)
    }
    guard lines.isEmpty else { return nil }
    return Diagnostic(
      "this manifest is of a workspace without a package: expected [package]",
      context: ["Cargo.toml"],
      hint: "give the folder of the package with the program", severity: .usage)
  }

  /// The contents of orderfileConfig.cmake, which `find_package(orderfile)` reads, as a file of the project: the
  /// project then builds without an installed package.
  private static let cmake =
    "# Written by 'orderfile init'.\n"
    + String(decoding: PackageResources.orderfileConfig_cmake, as: UTF8.self)
    + "\norderfile_project(ORDER app.order)\n"

  private static let noLanguage = Diagnostic(
    "project() names neither 'c' nor 'cpp'", context: ["meson.build"],
    hint:
      "name the languages in project(): languages that only add_languages() adds can't be ordered",
    severity: .usage)

  private static func languages(ofMesonProject description: String) -> [String] {
    let bytes = Array(description.utf8)
    let range = ProjectEdit.Call("project", in: "meson").arguments(in: bytes) ?? 0..<0
    let call = String(decoding: bytes[range], as: UTF8.self)
    return ["c", "cpp"].filter { call.contains("'\($0)'") }
  }

  private static func meson(_ languages: [String]) -> String {
    let list = "[\(languages.map { "'\($0)'" }.joined(separator: ", "))]"
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
      # Meson puts the options of LDFLAGS behind those of a project: their -fuse-ld= chooses the linker.
      foreach orderfile_language : \(list)
        orderfile_options = get_option(orderfile_language + '_link_args')
        orderfile_words = ['-fuse-ld=lld', '-Wl,--symbol-ordering-file=/dev/null'] + orderfile_options
        if orderfile_used and not meson.get_compiler(orderfile_language).links(
            'int main(void) { return 0; }', args : orderfile_words, name : 'lld and an order file')
          orderfile_used = false
          orderfile_text = 'orderfile: no image is ordered: the compiler does not link with lld and an order file'
          foreach orderfile_option : orderfile_options
            if orderfile_option.startswith('-fuse-ld=') or orderfile_option.startswith('--ld-path=')
              orderfile_text = 'orderfile: no image is ordered: app.order is for lld, but LDFLAGS have ' + orderfile_option
              orderfile_text += ': remove that option, or app.order'
              # Without entries nothing is missed.
              if run_command('grep', '-q', '^[^#]', orderfile_order, check : false).returncode() == 0
                error(orderfile_text)
              endif
            endif
          endforeach
          warning(orderfile_text)
        endif
      endforeach
      if orderfile_used
        add_project_arguments('-ffunction-sections', language : \(list))
        add_project_link_arguments('-fuse-ld=lld', '-Wl,--build-id', language : \(list))
        if orderfile_fs.exists(orderfile_order)
          # The copy has a name for these contents, so that other contents link everything again.
          orderfile_copy = 'app-' + orderfile_fs.hash(orderfile_order, 'sha256') + '.order'
          configure_file(input : orderfile_order, output : orderfile_copy, copy : true)
          # Without entries there is nothing to order, and each target may choose any linker.
          if run_command('grep', '-q', '^[^#]', orderfile_order, check : false).returncode() == 0
            add_project_link_arguments(
              '-Xlinker', '--symbol-ordering-file=' + meson.current_build_dir() / orderfile_copy,
              '-Wl,--no-warn-symbol-ordering', language : \(list))
          endif
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

  private static let toolset = String(
    decoding: SwiftToolset(linkerOptions: [
      "--build-id", "--symbol-ordering-file=\(order)", "--no-warn-symbol-ordering",
    ]).json(), as: UTF8.self)
}
