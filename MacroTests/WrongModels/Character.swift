// says: this type cannot be that of a member
import ObjectStore

@Model struct Letter {
  @PrimaryKey var id = 0
  var sign: Character
}
