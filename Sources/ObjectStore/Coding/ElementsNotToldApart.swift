/// What ``StoreError/elementsNotToldApart(type:keyText:member:)`` says of the member alone.
struct ElementsNotToldApart: Error {
  /// The member that is the list, as in `home.rooms`.
  let member: String
}
