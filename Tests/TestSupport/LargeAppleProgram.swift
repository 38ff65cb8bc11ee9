/// A program of more than a megabyte of code. A launch uses a few functions that are scattered over it: an order file
/// is for such programs. It is C and Objective-C, generated from a seed.
///
/// Each function is one run of instructions without a branch, so it executes all bytes that it occupies. The pages that
/// an estimate counts by whole functions are the pages that an execution touches.
package struct LargeAppleProgram: Sendable {
  package struct Source: Sendable {
    package var name: String
    package var text: String
  }

  package let sources: [Source]
  /// The symbols of the functions in the order in which the launch first enters them; no other functions run.
  package let startupOrder: [String]

  /// - Parameter fileCount: the number of source files; every fourth is Objective-C.
  /// - Parameter functionsPerFile: the number of functions in a file, of 200 to 1,160 bytes of code each, 680 on
  ///   average.
  /// - Parameter startupCount: the number of functions that the launch uses, without `main` and constructors.
  package init(
    seed: UInt64, fileCount: Int = 12, functionsPerFile: Int = 160, startupCount: Int = 60
  ) {
    var random = SeededRandom(seed: seed)
    let all = (0..<fileCount).flatMap { file in (0..<functionsPerFile).map { (file, $0) } }
    let chosen = Array(all.shuffled(using: &random).prefix(startupCount))
    // A third of the functions runs before main, in `+load` methods and constructors.
    let early = chosen.prefix(startupCount / 3).filter { Self.isObjectiveC($0.0) }
    let constructed = chosen.prefix(startupCount / 3).filter { !Self.isObjectiveC($0.0) }
    let later = chosen.dropFirst(startupCount / 3)

    var texts = (0..<fileCount).map { _ in Self.prologue }
    for (file, function) in all {
      texts[file] += Self.function(
        file, function, instructions: .random(in: 48...288, using: &random))
    }
    var order: [String] = []
    // The linker keeps the order of the files and, within a file, the order of its classes and constructors.
    for file in 0..<fileCount where Self.isObjectiveC(file) {
      let calls = early.filter { $0.0 == file }
      texts[file] += Self.loadingClass(file, calls)
      order.append("+[Loader\(file) load]")
      order += calls.map(Self.symbol)
    }
    for file in 0..<fileCount {
      let calls = constructed.filter { $0.0 == file }
      guard !calls.isEmpty else { continue }
      texts[file] += """
        __attribute__((constructor)) static void start_\(file)(void) {
        \(Self.calls(calls))}

        """
      order.append("_start_\(file)")
      order += calls.map(Self.symbol)
    }
    texts[0] += Self.main(later, all)
    order.append("_main")
    order += later.map(Self.symbol)

    sources = texts.enumerated().map { file, text in
      Source(name: "part\(file).\(Self.isObjectiveC(file) ? "m" : "c")", text: text)
    }
    startupOrder = order
  }

  private static func isObjectiveC(_ file: Int) -> Bool { file % 4 == 3 }
  private static func name(_ function: (Int, Int)) -> String { "f\(function.0)_\(function.1)" }
  private static func symbol(_ function: (Int, Int)) -> String { "_" + name(function) }

  private static let prologue = """
    extern volatile unsigned sum;
    #define TURN "eor %w0, %w0, %w0, lsl #13\\n"

    """

  /// Uses inline assembly, because a megabyte of it is compiled quickly.
  private static func function(_ file: Int, _ function: Int, instructions: Int) -> String {
    """
    __attribute__((noinline)) void \(name((file, function)))(void) {
      unsigned x = sum + \(file * 1000 + function);
      __asm__ volatile(".rept \(instructions)\\n" TURN ".endr" : "+r"(x));
      sum = x;
    }

    """
  }

  private static func calls(_ functions: some Sequence<(Int, Int)>) -> String {
    functions.map { "  extern void \(name($0))(void); \(name($0))();\n" }.joined()
  }

  private static func loadingClass(_ file: Int, _ functions: some Sequence<(Int, Int)>) -> String {
    """
    #include <objc/NSObject.h>
    @interface Loader\(file) : NSObject
    @end
    @implementation Loader\(file)
    + (void)load {
    \(calls(functions))}
    @end

    """
  }

  /// `main` refers to `all`, so that no function is dead code.
  private static func main(
    _ startup: some Sequence<(Int, Int)>, _ all: some Sequence<(Int, Int)>
  ) -> String {
    """
    volatile unsigned sum = 1;
    \(all.map { "extern void \(name($0))(void);\n" }.joined())
    void (*const volatile everything[])(void) = {
    \(all.map { name($0) + ",\n" }.joined())};
    int main(int count, char **arguments) {
      for (int i = 99; i < count; i++) everything[i]();
    \(calls(startup))  return 0;
    }

    """
  }
}
