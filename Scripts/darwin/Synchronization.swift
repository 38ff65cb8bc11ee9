// The part of Swift's module Synchronization that this project uses, with the macOS that has it. The module for Linux
// cannot be used in its place: its mutex is one of Linux.

@available(macOS 15, *)
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  public init(_ initialValue: consuming sending Value) {}

  public borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result { fatalError() }
}
