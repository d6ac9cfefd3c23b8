import SchemaRegistry

/// How the model of a package changed three times; what `make demo` shows.
enum CatalogueHistory {
  static let latestVersion = 3

  /// The history up to `version`; its base has the fields of the catalogue, all of them texts.
  static func make(_ census: FieldCensus, through version: Int) -> SchemaHistory {
    let fields = census.fields.map { field in
      Field(field.name, field.isInAll ? .string : .optional(.string))
    }
    let base = Base(0) { Type("Package", key: "Package") { for field in fields { field } } }
    return SchemaHistory(base: base, versions: Array(versions.prefix(version)))
  }

  private static let maintainer = ValueExpression.member("Maintainer")

  private static let versions = [
    // "Jane Doe <jane@example.org>" becomes a name and an address; some have a name only.
    Version(1) {
      On("Package") {
        Derive(
          "Maintainer-Name", .string,
          .orElse(.trimmed(.textBefore(maintainer, separator: "<")), maintainer))
        Derive(
          "Maintainer-Email", .optional(.string),
          .orElse(.textBetween(maintainer, start: "<", end: ">"), .constant(.null)))
        Remove("Maintainer")
      }
    },
    // A number instead of a text, under a name that says its unit.
    Version(2) {
      On("Package") {
        Convert(
          "Installed-Size", to: .optional(.int64), .parseInteger(.member("Installed-Size")))
        Rename("Installed-Size", to: "Installed-Kilobytes")
      }
    },
    // A new member with a default, and one that version 1 removed: it starts afresh.
    Version(3) {
      On("Package") {
        Add("Rating", .int64, default: .int(3))
        Add("Maintainer", .optional(.string))
      }
    },
  ]
}
