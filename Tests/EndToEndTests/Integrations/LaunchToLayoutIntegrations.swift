import Foundation
import TestSupport
import Testing

/// The way from a launch to a layout with other ways to link, and for C++ with other linkers.
@Suite(.needs(.recording)) struct LaunchToLayoutIntegrations {
  static let kinds = [
    LaunchToLayoutTests.plain("fixed addresses", compile: ["-fno-pie"], link: ["-no-pie"]),
    LaunchToLayoutTests.plain("static", compile: ["-fno-pie"], link: ["-static"]),
    LaunchToLayoutTests.plain(
      "static and position-independent", compile: ["-fPIE"], link: ["-static-pie"]),
    LaunchToLayoutTests.plain(
      "link-time optimization", compile: ["-flto", "-O2"], link: ["-flto", "-O2"]),
    LaunchToLayoutTests.plain(
      "ThinLTO", compile: ["-flto=thin", "-O2"], link: ["-flto=thin", "-O2"]),
  ]

  @Test(arguments: kinds) func theLayoutFollowsTheLaunch(_ build: Build) throws {
    try Workshop().check(build)
  }

  @Test(arguments: OrderingLinker.installed)
  func eachLinkerFollowsItsDialectWithoutUnusedSections(linker: OrderingLinker) throws {
    try Workshop().check(
      LaunchToLayoutTests.plain("", link: ["-Wl,--gc-sections"], linker: linker))
  }

  @Test(arguments: OrderingLinker.installed.filter { $0.name != "lld" })
  func cxxIsOrderedByEachLinker(linker: OrderingLinker) throws {
    var build = LaunchToLayoutTests.cxx
    build.linker = linker
    try Workshop().check(build)
  }
}
