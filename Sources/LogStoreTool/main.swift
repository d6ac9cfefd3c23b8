import LogStoreCommands

LogStoreCommand<HistoryFile>.runAndExit()
