internal import SchemaRegistry

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Link: Codable {
  /// Reads the bare key, as ``encode(to:)`` writes it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let key: Value =
      switch Self.memberType {
      case .int32: .int(Int64(try container.decode(Int32.self)))
      case .int64: .int(try container.decode(Int64.self))
      case .string: .string(try container.decode(String.self))
      case .uuid: try container.decode(UUID.self).dynamicValue
      case .data: try container.decode(Data.self).dynamicValue
      default: .null
      }
    guard let link = Self(dynamicValue: key) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(Target.self) has no key of a type that keys have")
    }
    self = link
  }

  /// Writes the bare key: an integer, a text, a UUID as its text, or bytes as the encoder has them.
  ///
  /// A placeholder is written as the key that it would be stored as; see ``Link``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch key {
    case .int(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .uuid(let value): try container.encode(UUID(value))
    case .data(let value): try container.encode(Data(value))
    default: fatalError("the key of \(Target.self) must have one of the types of keys")
    }
  }
}
