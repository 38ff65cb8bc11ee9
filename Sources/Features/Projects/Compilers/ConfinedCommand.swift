/// The option of this command that runs another command confined: `--confined-to FOLDER COMMAND` runs a command that
/// may write only below the folder.
package enum ConfinedCommand {
  package static let word = "--confined-to"
}
