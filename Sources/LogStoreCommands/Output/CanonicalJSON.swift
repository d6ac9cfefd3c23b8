internal import SchemaRegistry

/// Writes values so that equal values give equal bytes, whatever history they come from.
///
/// Members and keys are sorted by their UTF-8 bytes, nil members are written as null, and nothing
/// is spaced. Text is escaped only where RFC 8259 demands it, and for terminals somewhat more;
/// integers are exact, doubles and floats have the fewest digits that read back (those of a float
/// by way of a double: a few have the digits of the double with their value), data is base64,
/// dates are ISO 8601 in UTC (a number of seconds since 2001 outside the years 0000 to 9999), uuids
/// are in lower case.
enum CanonicalJSON {
  /// Writes an object of named values.
  static func append(
    _ members: some Sequence<(key: String, value: Value)>, to writer: inout JSONWriter
  ) {
    append(members.map { ($0.key, $0.value) }, to: &writer) { value, writer in
      append(value, to: &writer)
    }
  }

  /// Writes one value.
  static func append(_ value: Value, to writer: inout JSONWriter) {
    switch value {
    case .null: writer.append(raw: "null")
    case .bool(let value): writer.append(value)
    case .int(let value): writer.append(value)
    case .float(let value): append(value, to: &writer)
    case .double(let value): writer.append(value)
    case .string(let value): writer.append(value)
    case .data(let value): writer.append(Base64.encode(value))
    case .date(let value):
      if let text = Timestamp(secondsSince2001: value).text {
        writer.append(text)
      } else {
        writer.append(value)
      }
    case .uuid(let value): writer.append(value.description)
    case .list(let elements):
      append(elements, to: &writer) { append($0, to: &$1) }
    case .dictionary(let values), .object(let values):
      append(values, to: &writer)
    }
  }

  /// Writes a value of an import file or a report, by the same rules.
  static func append(_ value: ImportValue, to writer: inout JSONWriter) {
    switch value {
    case .null: writer.append(raw: "null")
    case .bool(let value): writer.append(value)
    case .integer(let value): writer.append(value)
    case .real(let value), .wholeReal(let value, _): writer.append(value)
    case .text(let value): writer.append(value)
    case .list(let elements):
      append(elements, to: &writer) { append($0, to: &$1) }
    case .object(let members):
      append(members.map { ($0.name, $0.value) }, to: &writer) { append($0, to: &$1) }
    }
  }

  /// The digits of a float are fewer than those of the double with the same value. But the float
  /// that is nearest to the double that is nearest to them may be its neighbour.
  private static func append(_ value: Float, to writer: inout JSONWriter) {
    let text = value.description
    if value.isFinite, let double = Double(text), Float(double) == value {
      writer.append(raw: text)
    } else {
      writer.append(Double(value))
    }
  }

  private static func append<Element>(
    _ elements: [Element], to writer: inout JSONWriter,
    write: (Element, inout JSONWriter) -> Void
  ) {
    writer.append(raw: "[" as Unicode.Scalar)
    for (index, element) in elements.enumerated() {
      if index > 0 { writer.append(raw: "," as Unicode.Scalar) }
      write(element, &writer)
    }
    writer.append(raw: "]" as Unicode.Scalar)
  }

  private static func append<Element>(
    _ members: [(name: String, value: Element)], to writer: inout JSONWriter,
    write: (Element, inout JSONWriter) -> Void
  ) {
    let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    writer.append(raw: "{" as Unicode.Scalar)
    for (index, member) in sorted.enumerated() {
      if index > 0 { writer.append(raw: "," as Unicode.Scalar) }
      writer.append(member.name)
      writer.append(raw: ":" as Unicode.Scalar)
      write(member.value, &writer)
    }
    writer.append(raw: "}" as Unicode.Scalar)
  }
}
