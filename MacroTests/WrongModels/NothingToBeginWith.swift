// says: nothing says what this member begins with: give it an initial value
import ObjectStore

enum Mood: String, StorableValue { case calm, cross }

@Model struct Diary {
  @PrimaryKey var id = 0
  var mood: Mood
}
