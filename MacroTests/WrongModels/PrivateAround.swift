// says: a type around a model must be fileprivate at least
import ObjectStore

enum Shop {
  private enum Shelf {
    @Model struct Book { @PrimaryKey var id = 0 }
  }
  fileprivate enum Rack {
    @Model struct Magazine { @PrimaryKey var id = 0 }
  }
}

private enum Cellar {
  @Model struct Box { @PrimaryKey var id = 0 }
}
