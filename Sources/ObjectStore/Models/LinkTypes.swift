/// Whether an object is being made for the type of its key alone.
enum LinkTypes {
  @TaskLocal static var areAsked = false
}
