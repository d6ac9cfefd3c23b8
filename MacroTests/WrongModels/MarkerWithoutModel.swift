// says: @Unique means something in a type with @Model only
import ObjectStore

struct Book {
  var id = 0
  @Unique var isbn = ""
}

@ObjectStore.Model struct Shelf {
  @PrimaryKey var id = 0
  @ObjectStore.Unique var name = ""
  struct Place { var row = 0 }
}

extension Shelf { @Transient var label: String { "\(id)" } }
