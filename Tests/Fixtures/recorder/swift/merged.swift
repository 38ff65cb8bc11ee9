// Two bodies that differ only in the class that they make: the optimizer merges them into one function, after the
// instrumentation, and passes the class as a parameter.
final class First { var values = [1, 2, 3] }
final class Second { var values = [1, 2, 3] }

@inline(never) func makeFirst(_ count: Int) -> [First] {
  var made: [First] = []
  for _ in 0..<count { made.append(First()) }
  return made
}

@inline(never) func makeSecond(_ count: Int) -> [Second] {
  var made: [Second] = []
  for _ in 0..<count { made.append(Second()) }
  return made
}

let count = CommandLine.arguments.count
print(makeFirst(count).count, makeSecond(count).count)
