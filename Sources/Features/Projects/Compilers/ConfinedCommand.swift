/// The word by which this command is asked to run another one confined: its next word is the folder below which that may write.
package enum ConfinedCommand {
  package static let word = "--confined-to"
}
