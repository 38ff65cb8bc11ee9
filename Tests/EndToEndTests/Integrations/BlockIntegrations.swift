import TestSupport
import Testing

/// `record --blocks` of programs that are compiled in other ways.
@Suite(.needs(.recording, "clang-19")) struct BlockIntegrations {
  @Test(.needs("valgrind", "llvm-readobj-19", "llvm-profdata-19"), arguments: BlockTests.variants)
  func theBlocksThatRanAreThoseThatCallgrindSees(_ program: BlockTests.Program) throws {
    try BlockTests().expectBlocksThatCallgrindSees(program)
  }
}
