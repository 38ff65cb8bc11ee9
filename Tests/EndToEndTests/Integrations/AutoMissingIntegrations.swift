import Foundation
import TestSupport
import Testing

/// `orderfile auto` with build systems that remember what they did not find: the next run finds what the user then installs.
@Suite(.needs(.recording)) struct AutoMissingIntegrations {
  private static let source = "#include <stdio.h>\nint main(void) { puts(\"5\"); return 0; }\n"

  private func expectFoundOnceInstalled(
    _ project: AutoProject, _ file: String, _ options: [String] = []
  ) throws {
    try project.write("other.c", Self.source)
    let words = ["--launch", "app"] + options
    let failed = try project.start(words).end()
    #expect(
      failed.status == 1 && failed.errors.contains("the build made ")
        && failed.errors.contains("other"), "\(failed.errors)")
    try project.workshop.write("".utf8, file)
    let run = try project.start(words).end()
    try #require(run.status == 0, "\(run.errors)")
    let images = try #require(run.json["images"] as? [[String: Any]])
    #expect(images.contains { $0["image"] as? String == "images/app" }, "\(images)")
  }

  private static func cmake(_ project: AutoProject) -> String {
    """
    cmake_minimum_required(VERSION 3.20)
    project(app C)
    include(CheckIncludeFile)
    set(CMAKE_REQUIRED_INCLUDES "\(project.workshop.folder.path)")
    check_include_file(library.h HAVE_LIBRARY)
    add_executable(other other.c)
    if(HAVE_LIBRARY)
      add_executable(app src/main.c shared.c static.c generated.c)
    endif()

    """
  }

  private static func project() throws -> AutoProject {
    let project = try AutoProject(makefile: false)
    try project.write("generated.c", "int generated(int n) { return n + 3; }\n")
    return project
  }

  @Test(.needs("cmake", "ninja")) func cmakeLooksAgain() throws {
    let project = try Self.project()
    try project.write("CMakeLists.txt", Self.cmake(project))
    try expectFoundOnceInstalled(project, "library.h")
  }

  @Test(.needs("cmake")) func cmakeInACommandLooksAgain() throws {
    let project = try Self.project()
    try project.write("CMakeLists.txt", Self.cmake(project))
    try expectFoundOnceInstalled(
      project, "library.h",
      ["--", "sh", "-c", "test -e out/CMakeCache.txt || cmake -S . -B out; cmake --build out"])
  }

  @Test(.needs("meson", "ninja")) func mesonLooksAgain() throws {
    let project = try Self.project()
    try project.write(
      "meson.build",
      """
      project('app', 'c')
      executable('other', 'other.c')
      if meson.get_compiler('c').has_header('\(project.workshop.folder.path)/library.h')
        executable('app', 'src/main.c', 'shared.c', 'static.c', 'generated.c')
      endif

      """)
    try expectFoundOnceInstalled(project, "library.h")
  }

  /// A server that never waits for requests: each launch runs one function more than the last one.
  @Test func countsOfALaunchThatDoesNotSettleAreNotCalledExact() throws {
    let project = try AutoProject()
    let calls = (0..<100).map {
      "if (count > \($0)) number = f\($0 * 3)(number);\n"
    }.joined()
    let main = try String(contentsOfFile: "\(project.folder)/src/main.c", encoding: .utf8)
    try project.write(
      "src/main.c",
      main.components(separatedBy: "int main(")[0] + """
        #include <stdlib.h>
        #include <unistd.h>
        int main(void) {
          FILE *file = fopen("../count", "r+");
          int count = 0, number = shared(0);
          if (!file) file = fopen("../count", "w+");
          if (!file || fscanf(file, "%d", &count) < 0) count = 0;
          rewind(file);
          fprintf(file, "%d\\n", count + 10);
          fclose(file);
          \(calls)
          puts("ready");
          fflush(stdout);
          for (;;) usleep(5000);
        }

        """)
    try project.write("generated.c", "int generated(int n) { return n + 3; }\n")
    let run = try project.start([
      "--launch", "exec ./app", "--until-ready", "line=ready", "--instrument", "--",
      "make", "CC=clang",
    ]).end()
    try #require(run.status == 0, "\(run.errors)")
    let unsettled = try #require(run.json["unsettled"] as? [String: Any])
    #expect(unsettled["counts"] as? Int == 3)
    for order in ["before", "after"] {
      let pages = try #require(unsettled[order] as? [String: Int])
      #expect(try #require(pages["lowest"]) < #require(pages["highest"]), "\(pages)")
    }
    #expect(
      run.errors.contains(
        "was still busy when it was ended, seconds after it was ready: 3 counts found "),
      "\(run.errors)")
    let text = try String(contentsOfFile: "\(project.output)/summary.txt", encoding: .utf8)
    #expect(text.contains("executed, not exact: 3 counts found "), "\(text)")
  }
}
