import OrderFileCommands

OrderFileCommand.runAndExit()
