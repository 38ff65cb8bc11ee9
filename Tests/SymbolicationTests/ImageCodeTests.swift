// Compares what the tool reads from the code of an image with the output of llvm-objdump.

import Addresses
import ByteReading
import ImageModel
import ModelSamples
import Symbolication
import TestSupport
import Testing

@Suite struct ImageCodeTests {
  static let links: [CompilerLink] = [
    CompilerLink(flags: ["-fuse-ld=lld", "-pie", "-fPIE", "-Wl,-z,lazy"]),
    CompilerLink(flags: ["-fuse-ld=lld", "-no-pie", "-Wl,-z,now"]),
    CompilerLink(flags: ["-fuse-ld=lld", "-pie", "-fPIE", "-fcf-protection", "-Wl,-z,force-ibt"]),
    CompilerLink(flags: ["-fuse-ld=lld", "-shared", "-fPIC"]),
    CompilerLink(compiler: "gcc", flags: ["-pie", "-fPIE", "-Wl,-z,lazy"]),
    CompilerLink(compiler: "gcc", flags: ["-no-pie", "-Wl,-z,now"]),
    CompilerLink(compiler: "gcc", flags: ["-pie", "-fPIE", "-fcf-protection", "-Wl,-z,ibtplt"]),
    CompilerLink(compiler: "gcc", flags: ["-no-pie", "-Wl,-z,noseparate-code"]),
    CompilerLink(compiler: "aarch64-linux-gnu-gcc", flags: ["-pie", "-fPIE"]),
    CompilerLink(compiler: "aarch64-linux-gnu-gcc", flags: ["-no-pie", "-Wl,-z,now"]),
  ].filter(\.keepsArguments)

  /// Calls, tail calls and a pointer to functions of the C library, from functions that differ in which.
  static let program = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #define N __attribute__((noinline))
    N int first(const char *s) { puts(s); return strlen(s) > 3 ? atoi(s) : abs(rand()); }
    N int tail(const char *s) { return puts(s); }
    N void *memory(size_t n) { void *p = malloc(n); if (!p) exit(1); return memset(p, 1, n); }
    N void both(char *s) { free(s); free(memory(3)); }
    int (*volatile pointer)(const char *) = puts;
    N int pure(int a) { return a * 3; }
    #ifdef __x86_64__
    __asm__(".text\\n.byte 0xcc,0xcc,0xcc,0xcc\\n.p2align 4\\n.Ltable: .quad 1,2,3,4\\n"
            ".globl reader\\n.type reader,@function\\nreader: lea .Ltable(%rip), %rax\\n"
            "mov (%rax,%rdi,8), %rax\\nret\\n.size reader, .-reader\\n");
    #endif
    int reader(int);
    N int shared(int, int) __asm__("_Z4sameiTm");
    N int shared(int a, int b) { __asm__ volatile(""); return a * b + rand(); }
    N int merged(int a) { return shared(a, a + 7); }
    __attribute__((constructor)) static void early(void) { setvbuf(stdout, 0, _IONBF, 0); }
    __attribute__((destructor)) static void late(void) { fflush(stdout); }
    int main(int n, char **v) {
      both(strdup(v[0]));
    #ifdef __x86_64__
      n += reader(n);
    #endif
      return first(v[0]) + tail(v[0]) + pure(n) + merged(n) + pointer(v[0]);
    }
    """

  /// A linked program.
  struct Program {
    let folder: TemporaryFolder
    let path: String
    let image: Image

    init(_ link: CompilerLink) throws {
      folder = try TemporaryFolder()
      path = folder.path("program")
      let source = try folder.write(Array(ImageCodeTests.program.utf8), "program.c")
      try #require(Tool(link.compiler)).run(
        ["-O2", "-ffunction-sections", source, "-o", path] + link.flags)
      image = try Image.reading(path: path).image
    }

    func facts(_ startup: [String]) throws -> LaunchFacts {
      let code = try #require(ImageCode(of: try FileBytes(path: path)))
      return try code.facts(
        of: image.layout, initializers: image.initializers,
        startup: image.layout.functions.indices.filter { index in
          let name = image.layout.name(of: image.layout.functions[index]).description
          return startup.contains(name)
        })
    }

    /// Branches from elsewhere into linkage tables, as llvm-objdump reads them: site and target.
    func disassembledCalls() throws -> Set<[UInt64]> {
      let tables = image.layout.sections.filter(\.isLinkageTable).map(\.range)
      let text = try #require(Tool("llvm-objdump-19") ?? Tool("llvm-objdump")).run(
        ["-d", "--no-show-raw-insn", path])
      var calls: Set<[UInt64]> = []
      for line in text.split(separator: "\n") {
        guard let colon = line.firstIndex(of: ":"),
          let site = UInt64(line[..<colon].drop { $0 == " " }, radix: 16),
          let operand = line.split(whereSeparator: { $0 == "\t" || $0 == " " }).first(where: {
            $0.hasPrefix("0x")
          }), let target = UInt64(operand.dropFirst(2), radix: 16)
        else { continue }
        func isInTable(_ address: UInt64) -> Bool {
          tables.contains { $0.contains(StatedAddress(rawValue: address)) }
        }
        if isInTable(target), !isInTable(site) { calls.insert([site, target]) }
      }
      return calls
    }
  }

  static let functions = ["main", "first", "tail", "memory", "both", "pure", "reader", "merged"]

  @Test(
    .needs("llvm-objdump-19"),
    arguments: links)
  func entriesOfLinkageTablesAreThoseThatADisassemblerSees(_ link: CompilerLink) throws {
    let program = try Program(link)
    let calls = try program.disassembledCalls()
    #expect(calls.count >= 8, "the program calls at least eight functions of the C library")
    // Every function of the image except those of the C runtime.
    let facts = try program.facts(Self.functions)
    let found = facts.references.filter { $0.touch.cause == .linkageTable }
    let sites = Set(found.map(\.site.rawValue))
    let bodies = program.image.layout.functions.filter {
      Self.functions.contains(program.image.layout.name(of: $0).description)
    }
    let expected = calls.filter { call in
      bodies.contains {
        $0.knownBody.contains(StatedAddress(rawValue: call[0]))
      }
    }
    for call in expected {
      #expect(
        found.contains { $0.touch.bytes.start.rawValue == call[1] && sites.contains(call[0]) },
        "\(hexadecimal(call[0])) calls \(hexadecimal(call[1]))")
    }
    #expect(sites.isSubset(of: Set(calls.map { $0[0] })), "no call that is none")
  }

  @Test(
    .needs("clang", "ld.lld", "gcc"),
    arguments: links.filter { !$0.isAArch64 && !$0.flags.contains("-shared") })
  func whatRunsBesidesFunctionsHasItsCause(_ link: CompilerLink) throws {
    let program = try Program(link)
    let layout = program.image.layout
    let facts = try program.facts(["main", "reader", "merged"])
    func names(_ touches: [LaunchFacts.Touch], _ cause: TouchCause) -> [String] {
      touches.filter { $0.cause == cause }.flatMap { touch in
        layout.functions(at: touch.bytes.start).map {
          layout.name(of: layout.functions[$0]).description
        }
      }
    }
    #expect(names(facts.atStart, .cRuntime).contains("_start"))
    #expect(names(facts.atStart, .initializer).contains("early"))
    #expect(names(facts.atEnd, .initializer).contains("late"))
    #expect(facts.isPositionIndependent == link.flags.contains("-pie"))
    #expect(facts.executableMappings.count == 1)
    let referenced = facts.references.map(\.touch)
    #expect(Set(names(referenced, .mergedBody)) == ["_Z4sameiTm"])
    #expect(referenced.contains { $0.cause == .constant }, "the table between functions is read")
    let isOneSegment = link.flags.contains("-Wl,-z,noseparate-code")
    #expect(facts.atStart.contains { $0.cause == .header } == isOneSegment)
    let isLazy = !link.flags.contains("-Wl,-z,now")
    let table = try #require(layout.sections.first { $0.name == ".plt" }?.range.start)
    #expect(
      isLazy
        == referenced.contains(
          LaunchFacts.Touch(.linkageTable, AddressRange(start: table, size: 16))),
      "the first entry runs where functions are bound lazily")
  }

  @Test(.needs("clang", "ld.lld")) func nothingIsFoundInAFunctionThatOnlyComputes() throws {
    for link in Self.links {
      let facts = try Program(link).facts(["pure"])
      let own = Set(facts.atStart + facts.atEnd)
      #expect(own.allSatisfy { $0.cause != .linkageTable && $0.cause != .mergedBody })
      let program = try Program(link)
      let pure = try #require(
        program.image.layout.functions.first {
          program.image.layout.name(of: $0).description == "pure"
        })
      let body = pure.knownBody
      #expect(!facts.references.contains { body.contains($0.site) }, "\(link.testDescription)")
    }
  }

  @Test func namesOfALinkMapTellTheCRuntimeAndTablesCountWhole() {
    let layout = sampleLayout(
      [
        SampleFunction(name: "_start", address: 0x1100, section: 1),
        SampleFunction(name: "main", address: 0x1200, section: 1),
      ],
      sections: [
        SampleSection(name: ".plt", address: 0x1000, size: 0x40),
        SampleSection(name: ".text", address: 0x1100, size: 0x1000),
      ])
    let facts = LaunchFacts(of: layout, hasCode: false)
    #expect(facts.atStart.map(\.cause) == [.cRuntime, .linkageTable])
    #expect(facts.atStart.map(\.bytes.start.rawValue) == [0x1100, 0x1000])
    #expect(LaunchFacts(of: layout, hasCode: true).atStart.map(\.cause) == [.cRuntime])
  }

  @Test(.needs("clang", "ld.lld")) func flippedBytesNeverTrap() throws {
    let link = try #require(Self.links.first)
    let program = try Program(link)
    let bytes = try FileBytes(path: program.path)
    let layout = program.image.layout
    let everything = Array(layout.functions.indices)
    for copy in byteFlips(of: bytes.copy(0..<bytes.count)) {
      let code = ImageCode(of: FileBytes(copy))
      _ = try? code?.facts(
        of: layout, initializers: program.image.initializers, startup: everything)
    }
    for length in stride(from: 0, to: bytes.count, by: 97) {
      let code = ImageCode(of: FileBytes(bytes.copy(0..<length)))
      _ = try? code?.facts(of: layout, initializers: [], startup: everything)
    }
  }
}
