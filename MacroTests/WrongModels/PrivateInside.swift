// says: a model inside of another type must be fileprivate at least
import ObjectStore

enum Shelf {
  @Model private struct Book { @PrimaryKey var id = 0 }
  @Model fileprivate struct Magazine { @PrimaryKey var id = 0 }
}
