import Testing

extension ModelDiagnosticTests {
  @Test(
    "Each mistake is told where it is",
    arguments: [
      (
        "@Model class A {\n  @PrimaryKey var id = 0\n}", 1,
        "a class with @Model must be final", "insert 'final'"
      ),
      ("@Model enum A { case b }", 1, "@Model belongs to a struct or a final class", nil),
      (
        "@Model struct A {\n  @PrimaryKey let id: Int\n}", 2,
        "a member of a model is set when an object is read, so it must be a 'var'",
        "change 'let' to 'var'"
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @PrimaryKey var b = 0\n}", 3,
        "a model has one @PrimaryKey", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Indexed var b: [String: Int] = [:]\n}", 3,
        "'b' cannot be looked up by value: an index needs a number, a text, bytes, a date, a bool "
          + "or a UUID, or a list or set of these", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Transient var b: Int\n}", 3,
        "the transient member 'b' needs an initial value, as it is not read from the store", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey @Indexed var a = 0\n}", 2,
        "the primary key is unique, stored and looked up anyway; take the other attribute away", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  lazy var b = 1\n}", 3,
        "a lazy member cannot be stored; mark it @Transient", nil
      ),
      (
        "@Model final class A {\n  var a = 0\n}", 1,
        "a class is an object of its own, so one member must be marked @PrimaryKey", nil
      ),
      (
        "@Model struct A {\n  @Indexed var a = 0\n}", 1,
        "a model without @PrimaryKey is embedded in others and has no index of its own", nil
      ),
      (
        "struct A {\n  @Indexed func a() {}\n}", 2, "@Indexed belongs to a stored member", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Unique var b: Int { a }\n}", 3,
        "@Unique belongs to a stored member", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  #if X\n  @Indexed\n  #endif\n  var b = 0\n}",
        3, "an attribute inside #if would be there in some builds only; declare it for all", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"a\") var b = 0\n}", 1,
        "'b' cannot have been called 'a': there is a member of that name", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"b\") var b = 0\n}", 1,
        "'b' cannot have been called 'b': there is a member of that name", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"x\") var b = 0\n"
          + "  @Renamed(from: \"x\") var c = 0\n}", 1,
        "'x' is a former name twice; each value has one member to go to", nil
      ),
      (
        "@Model struct A {\n  @Renamed(from: \"b\") var a = 0\n}", 1,
        "former names are looked for in models with @PrimaryKey, and not inside of embedded ones: "
          + "take @Renamed away, and rename the member in a history or a migration block", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  #if DEBUG\n  var b = 0\n  #endif\n}", 4,
        "a member inside #if would be stored by some builds only; declare it for all, or mark it "
          + "@Transient", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  #if X\n  #else\n  #if Y\n  init() {}\n"
          + "  #endif\n  #endif\n}", 6,
        "an init() inside #if is there in some builds only; declare it for all, or in every "
          + "clause and in an #else", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @ObjectStore.Unique var b: Swift.Set<Int>"
          + " = []\n}", 3,
        "'b' cannot be unique, as no list or set is; @Indexed finds objects by the elements", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Unique var b: ([(Int)]?)\n}", 3,
        "'b' cannot be unique, as no list or set is; @Indexed finds objects by the elements", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Unique var b: Optional<Array<Int>> = nil\n}",
        3,
        "'b' cannot be unique, as no list or set is; @Indexed finds objects by the elements", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Transient let b: Int?\n}", 3,
        "the transient member 'b' needs an initial value, as it is not read from the store", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  #if X\n  @Transient var b: Int\n"
          + "  #endif\n}",
        4, "the transient member 'b' needs an initial value, as it is not read from the store", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"c\") "
          + "@Transient var b = 0\n}",
        3, "a transient member is not stored, so no value of a former name could go to it", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Limited(wrappedValue: 5) var b: Int\n}", 3,
        "'b' may begin with a value that this attribute gives it, which cannot be seen here; give "
          + "it its value by '='", nil
      ),
    ] as [(String, Int, String, String?)])
  func mistakes(text: String, line: Int, message: String, fix: String?) {
    #expect(Self.reports(text) == [Report(line: line, message: message, fix: fix)])
  }

  @Test(
    "A member of a protocol's type is told, wherever its type says so",
    arguments: [
      "b: any P = C()", "b: (any P)? = nil", "b: [any P] = []", "b: Array<(any P)?> = []",
      "b: Swift.Set<any P> = []", "b: [String: any P & Q] = [:]", "b = C() as any P",
    ])
  func existentials(member: String) {
    let key = "@Model struct A {\n  @PrimaryKey var a = 0\n"
    #expect(
      Self.reports("\(key)  var \(member)\n}") == [
        Report(
          line: 3,
          message: "this type cannot be that of a member, as a protocol does not tell what is "
            + "stored: name one type, make an embedded object of what they share, or mark the "
            + "member @Transient")
      ])
    #expect(Self.reports("\(key)  @Transient var \(member)\n}") == [])
    #expect(Self.reports("\(key)  var b = c is any P\n}") == [])
  }
}
