import OrderFileRuntime

@inline(never) func before() { print("before") }
@inline(never) func between(_ name: String) { print("between", name) }
@inline(never) func after() -> Int { CommandLine.arguments.count }

before()
OrderFile.mark("first screen")
between(CommandLine.arguments[0])
OrderFile.mark("second screen \(after())")
OrderFile.stop()
@inline(never) func late() { print("late") }
late()
