import Foundation
import TestSupport
import Testing

/// Programs whose functions were split: code that is entered or left in unusual ways, and debuggers and profilers that
/// read the program.
@Suite(.needs(.recording, "clang-19")) struct SplitProgramIntegrations {
  /// The programs: a generator that is left by an exception, assembly that jumps and has code and data in other
  /// sections, and a backtrace through two functions in the part that was split off.
  static let source = #"""
    #include <coroutine>
    #include <cstdio>
    #include <cstdlib>
    #include <dlfcn.h>
    #include <exception>
    #include <execinfo.h>
    #include <stdexcept>
    #include <unwind.h>
    #define ALONE __attribute__((noinline))

    struct Numbers {
      struct promise_type {
        int value = 0;
        std::exception_ptr error;
        Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int n) { value = n; return {}; }
        void return_void() {}
        void unhandled_exception() { error = std::current_exception(); }
      };
      std::coroutine_handle<promise_type> handle;
      ~Numbers() { handle.destroy(); }
      bool next() {
        handle.resume();
        if (handle.promise().error) std::rethrow_exception(handle.promise().error);
        return !handle.done();
      }
    };
    struct Noisy { const char *name; ~Noisy() { std::puts(name); std::puts("gone"); } };
    ALONE Numbers count(int last) {
      Noisy noisy{"counted"};
      for (int i = 0; i < last; i++) {
        if (i == 3) { Noisy inner{"three"}; co_yield 30; continue; }
        if (i == 5) throw std::runtime_error("five");
        co_yield i;
      }
    }
    ALONE int total(int last) {
      int sum = 0;
      try {
        Numbers numbers = count(last);
        while (numbers.next()) sum += numbers.handle.promise().value;
      } catch (const std::exception &error) { std::puts(error.what()); sum = -1; }
      return sum;
    }

    extern "C" const int table[];
    ALONE int jump(int n) {
      asm goto("cmpl $3, %0\n\tjg %l[many]" : : "r"(n) : "cc" : many);
      asm goto("testl %0, %0\n\tjs 1f\n\t.pushsection .text.apart,\"ax\",@progbits\n"
               "1:\tjmp %l[negative]\n\t.popsection" : : "r"(n) : "cc" : negative);
      return n;
    many:
      std::printf("many: %d, %d\n", n, table[0]);
      return 3;
    negative:
      std::printf("negative: %d, %d\n", n, table[0]);
      return 0;
    }
    asm(".pushsection .rodata\n\t.globl table\ntable:\t.long 11, 12, 13\n\t.popsection");
    ALONE int look(int n) {
      int found = 7;
      if (n > 2)
        asm volatile("xorl %0, %0\n2:\taddl $5, %0\n\tdecl %1\n\tjnz 2b\n\t.fill 16, 1, 0x90" : "=&r"(found), "+r"(n) : : "cc");
      return found + table[1];
    }

    extern "C" ALONE void stop() { asm volatile(""); }
    static void print(const char *unwinder, void **addresses, int count) {
      std::fprintf(stderr, "%s", unwinder);
      for (int i = 0; i < count; i++) std::fprintf(stderr, " %p", addresses[i]);
      std::fputc('\n', stderr);
    }
    struct Frames { void *addresses[64]; int count; };
    static _Unwind_Reason_Code add(_Unwind_Context *context, void *to) {
      Frames *frames = static_cast<Frames *>(to);
      frames->addresses[frames->count++] = reinterpret_cast<void *>(_Unwind_GetIP(context));
      return frames->count < 64 ? _URC_NO_REASON : _URC_END_OF_STACK;
    }
    extern "C" ALONE int trace() {
      Frames frames{};
      _Unwind_Backtrace(add, &frames);
      print("compiler", frames.addresses, frames.count);
      print("libc", frames.addresses, backtrace(frames.addresses, 64));
      void *library = dlopen("libunwind.so.8", RTLD_NOW);
      auto walk = library ? reinterpret_cast<int (*)(void **, int)>(dlsym(library, "unw_backtrace")) : nullptr;
      if (walk) print("libunwind", frames.addresses, walk(frames.addresses, 64));
      stop();
      return 1;
    }
    extern "C" ALONE int inner(int n) {
      if (n > 400) { std::puts("traced"); return trace() + n; }
      return n;
    }
    extern "C" ALONE int outer(int n) {
      if (n == 1000) { std::puts("far"); n = inner(n / 2) - 1; std::puts("back"); }
      return inner(n % 100) + 1;
    }

    int main(int n, char **words) {
      int sum = 0;
      for (int i = 1; i < n; i++) {
        int number = std::atoi(words[i]);
        sum += number > 100 ? outer(number) : total(number) + jump(number) + look(number);
      }
      std::printf("%d\n", sum);
    }
    """#

  static func program(_ compiler: String, _ flags: [String]) -> SplitTests.Program {
    SplitTests.Program(
      testDescription: compiler, source: source, compiler: compiler,
      flags: ["-std=c++20", "-O2"] + flags, recorded: ["2", "200"])
  }

  /// Makes a folder with the program `app`, and with `split`, which was split by a launch that `program` describes.
  private func split(
    _ program: SplitTests.Program, environment: [String: String] = [:],
    isStrict: Bool = true
  ) throws -> Workshop {
    let workshop = try SplitTests.recorded(program, environment: environment)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order")
    try SplitTests.build(
      program, "split", in: workshop,
      isStrict ? SplitTests.splitting : Array(SplitTests.splitting.dropLast()))
    return workshop
  }

  @Test(.needs("clang"), arguments: ["clang-19", "clang"])
  func coroutinesAndAssemblyGoOnInWhatWasSplitOff(compiler: String) throws {
    let workshop = try split(Self.program(compiler, []))
    let symbols = try workshop.must("nm", ["split"]).text
    for name in ["_Z5counti.resume", "_Z5counti.destroy", "_Z5totali", "_Z4jumpi", "_Z4looki"] {
      #expect(symbols.contains(" \(name).cold\n"), "\(name)")
    }
    for arguments in [["2", "200"], ["4", "6", "-1", "0"]] {
      let plain = try workshop.start("./app", arguments).end()
      let split = try workshop.start("./split", arguments).end()
      #expect(split.text == plain.text && split.status == 0 && plain.status == 0)
    }
    let thrown = try workshop.must("./split", ["6"]).text
    #expect(thrown == "three\ngone\ncounted\ngone\nfive\nmany: 6, 11\n44\n")
  }

  /// `address` may be refused by `record`, because LeakSanitizer can't run beside a tracer: the hint says how it can.
  @Test(arguments: ["address", "undefined", "thread"])
  func sanitizersFindNothingInASplitProgram(_ sanitizer: String) throws {
    let workshop = try split(
      Self.program("clang-19", ["-fsanitize=\(sanitizer)", "-fno-sanitize-recover=all"]),
      environment: ["ASAN_OPTIONS": "detect_leaks=0"],
      // The sanitizer runtimes have functions that libraries define, too, and that no linker orders.
      isStrict: false)
    #expect(try workshop.must("nm", ["split"]).text.contains(" _Z5totali.cold\n"))
    for arguments in [["2", "200"], ["4", "6", "-1", "0"]] {
      let plain = try workshop.start("./app", arguments).end()
      let split = try workshop.start("./split", arguments).end()
      #expect(split.text == plain.text && split.status == 0, "\(split.errors)")
      #expect(split.errors.isEmpty, "\(split.errors)")
    }
  }

  // MARK: Names

  /// The frames of the launch when it prints its own backtraces, innermost first.
  static let frames = ["trace", "inner", "outer", "main"]

  @Test(
    .needs("clang", "addr2line", "llvm-addr2line-19", "gdb"), arguments: ["clang-19", "clang"],
    [true, false])
  func backtracesAndNamesOfWhatWasSplitOffAreRight(
    compiler: String, hasDebugInformation: Bool
  ) throws {
    let workshop = try split(
      Self.program(compiler, ["-no-pie"] + (hasDebugInformation ? ["-g"] : [])))
    let run = try workshop.must("./split", ["1000"])
    #expect(run.text == "far\ntraced\nback\n1\n")
    let traces = run.errors.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(traces.map(\.first) == ["compiler", "libc", "libunwind"])
    let symbols = try Symbol.all(in: workshop, "split")
    for trace in traces {
      // The address of the call is before the return address.
      let calls = trace.dropFirst().compactMap { UInt64($0.dropFirst(2), radix: 16).map { $0 - 1 } }
      // The names come from the table of symbols, as perf finds them.
      let names = calls.compactMap { call in symbols.first { $0.range.contains(call) }?.name }
      #expect(names.prefix(4) == ["trace", "inner.cold", "outer.cold", "main"], "\(trace)")
      let addresses = calls.filter { call in symbols.contains { $0.range.contains(call) } }
        .prefix(4).map { "0x" + String($0, radix: 16) }
      for tool in ["addr2line", "llvm-addr2line-19"] {
        let lines = try workshop.must(tool, ["-f", "-e", "split"] + addresses).text
          .split(separator: "\n").map(String.init)
        let found = stride(from: 0, to: lines.count, by: 2).map { Self.function(lines[$0]) }
        #expect(found == Self.frames, "\(tool): \(lines)")
        let numbered = lines.count { $0.firstRange(of: /main\.cpp:[1-9]/) != nil }
        #expect(numbered > 2 || !hasDebugInformation)
      }
    }
    let stopped = try workshop.start(
      "gdb",
      [
        "-nx", "-batch", "-ex", "break stop", "-ex", "run", "-ex", "backtrace", "--args", "./split",
        "1000",
      ]
    ).end().text
    let found = stopped.split(separator: "\n").filter { $0.hasPrefix("#") }.compactMap { line in
      line.split(separator: " ").first { $0.first?.isLetter == true && $0 != "in" }
        .map { Self.function($0) }
    }
    #expect(found == ["stop"] + Self.frames, "\(stopped)")
  }

  /// The function whose part a tool has named: `f`, `f.cold` or, as gdb says, `f[cold]`.
  private static func function(_ name: some StringProtocol) -> String {
    String(name.prefix { $0 != "." && $0 != "[" })
  }

  struct Symbol {
    var name: String
    var range: Range<UInt64>

    /// Returns the symbols of code that have a size.
    static func all(in workshop: Workshop, _ image: String) throws -> [Symbol] {
      try workshop.must("nm", ["-S", image]).text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 4, words[2] == "t" || words[2] == "T",
          let start = UInt64(words[0], radix: 16), let size = UInt64(words[1], radix: 16)
        else { return nil }
        return Symbol(name: String(words[3]), range: start..<start + size)
      }
    }
  }
}
