/// Something that can be said.
public protocol Phrase {
  func text(name: String) -> String
}

public struct Farewell: Phrase {
  public init() {}
  public func text(name: String) -> String { "Good night, \(name)." }
}

public struct Greeting: Phrase {
  let time: String
  public init(time: String) { self.time = time }
  public func text(name: String) -> String { "Good \(time), \(name)." }
}
