/// The code that a thread runs, in an object to which C can point.
final class ThreadBody {
  let run: () -> Never

  init(_ run: @escaping () -> Never) { self.run = run }
}
