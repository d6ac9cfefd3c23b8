import LogStoreCommands

LogStoreCommand<PeopleHistory>.runAndExit()
