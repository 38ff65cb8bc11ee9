import CommandSupport
import Foundation
import OrderFileFormat
import Projects
import TestSupport
import Testing

/// What `orderfile init --print make` prints for packages with libtool.
@Suite struct MakeStepsTests {
  private static let old = """
    # ltmain.sh (GNU libtool) 2.4.6
      # -fuse-ld=*           Linker select flags for GCC
      -specs=*|-fsanitize=*)

    """
  private static let new = """
    # ltmain.sh (GNU libtool) 2.4.7
      # -fuse-ld=*           Linker select flags for GCC
      -specs=*|-fsanitize=*|-fuse-ld=*|-Wa,*)

    """

  @Test(arguments: [
    (["ltmain.sh": old], "ltmain.sh"), (["build-aux/ltmain.sh": old], "build-aux/ltmain.sh"),
    (["libtool": old, "ltmain.sh": old], "libtool"), (["ltmain.sh": new], nil),
    (["libtool": "another program\n"], nil), ([:], nil),
  ])
  func aScriptThatDropsTheLinkerIsFoundByWhatItPassesOn(
    files: [String: String], found: String?
  ) throws {
    let folder = try TestSupport.TemporaryFolder()
    for (name, text) in files { try folder.write(Array(text.utf8), name) }
    try folder.write([], "README")
    #expect(LibtoolScript.droppingLinker(in: folder.path(".")) == found)
  }

  @Test func theCompilersThenCarryTheLinker() throws {
    var steps = MakeSteps(program: ".libs/libshelf.so", orderFile: "a.order", dialect: .gold)
    #expect(try !steps.text().contains("CC="))
    steps.libtool = "ltmain.sh"
    let text = try steps.text()
    #expect(
      text.contains(
        "./configure CC=\"${CC:-cc} -fuse-ld=gold\" CXX=\"${CXX:-c++} -fuse-ld=gold\" CFLAGS="))
    #expect(text.contains("# ltmain.sh is older than libtool 2.4.7"))
    var data = MakeSteps(
      program: "src/app", orderFile: "a.order", dialect: .lld, recorder: "/orderfile_rt.o")
    #expect(try data.text().contains("./configure CC=clang CXX=clang++ CFLAGS="))
    data.libtool = "libtool"
    let withData = try data.text()
    #expect(
      withData.components(
        separatedBy: "./configure CC='clang -fuse-ld=lld' CXX='clang++ -fuse-ld=lld' CFLAGS="
      ).count == 3)
  }

  @Test(arguments: [
    ("src/app", "src/app"), ("app", "app"), ("src/.libs/app", "src/app"), (".libs/app", "app"),
    (".libs/libshelf.so.1.0.2", "libshelf.la"), ("a/.libs/libshelf.so", "a/libshelf.la"),
  ])
  func whatMakesLibtoolLinkAgainIsRemoved(program: String, target: String) {
    #expect(LibtoolScript.target(of: program) == target)
  }
}
