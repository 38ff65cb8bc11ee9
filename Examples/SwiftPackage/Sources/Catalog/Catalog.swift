import Phrases

/// The phrases of a day, by the hour.
public struct Catalog {
  private var phrases: [(hours: Range<Int>, phrase: any Phrase)] = []

  public init() {
    add(Farewell(), 0..<5)
    add(Greeting(time: "morning"), 5..<12)
    add(Greeting(time: "afternoon"), 12..<18)
    add(Greeting(time: "evening"), 18..<24)
  }

  /// Never used at launch.
  @inline(never)
  public func listing() -> String {
    phrases.map { "\($0.hours): \($0.phrase.text(name: "…"))" }.joined(separator: "\n")
  }

  @inline(never)
  private mutating func add(_ phrase: any Phrase, _ hours: Range<Int>) {
    phrases.append((hours, phrase))
  }

  @inline(never)
  public func phrase(at hour: Int) -> (any Phrase)? {
    phrases.first { $0.hours.contains(hour) }?.phrase
  }
}
