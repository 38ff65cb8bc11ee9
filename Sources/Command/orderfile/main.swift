import OrderFileCommands

OrderFileCommand.runAndExit(commit: sourceCommit)
