// says: hold an object by Link<Type>
import ObjectStore

@Model struct Folder { @PrimaryKey var id = 0 }

@Model struct Note {
  @PrimaryKey var id = 0
  var folder: Folder?
}
