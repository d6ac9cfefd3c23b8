/// Whether an object is being made to check the key of a link to it.
enum LinkTypes {
  @TaskLocal static var areChecked = false
}
