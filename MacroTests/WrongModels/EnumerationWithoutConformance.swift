// says: this type cannot be that of a member: make an enumeration with raw values StorableValue
import ObjectStore

enum Priority: Int { case low, high }

@Model struct Task {
  @PrimaryKey var id = 0
  var priority = Priority.low
}
