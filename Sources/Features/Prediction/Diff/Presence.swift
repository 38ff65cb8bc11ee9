/// How many startup functions there are, and how many of them each layout has.
package struct Presence: Hashable, Sendable {
  package var all: Int
  package var before: Int
  package var after: Int

  package init(all: Int, before: Int, after: Int) {
    self.all = all
    self.before = before
    self.after = after
  }
}
