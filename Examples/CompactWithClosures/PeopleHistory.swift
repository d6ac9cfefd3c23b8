import ArgumentParser
import LogStoreCommands
import SchemaRegistry

/// The app's own history: version 1 is Swift code, which a history file cannot hold.
struct PeopleHistory: HistoryProvider {
  func history() -> SchemaHistory? {
    SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .string)
          Field("name", .string)
        }
      }
      Version(1) {
        On("Person") {
          Derive("initials", from: "name") { (name: String) -> String in
            String(name.split(separator: " ").compactMap(\.first))
          }
        }
      }
    }
  }
}
