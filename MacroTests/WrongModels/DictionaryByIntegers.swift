// says: key dictionaries by String
import ObjectStore

@Model struct Table {
  @PrimaryKey var id = 0
  var rows: [Int: String]
}
