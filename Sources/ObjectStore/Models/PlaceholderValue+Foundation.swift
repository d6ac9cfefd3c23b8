internal import SchemaRegistry

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UUID: PlaceholderValue {
  public static var placeholder: UUID { UUID(UniqueIdentifier(high: 0, low: 0)) }
}
extension Date: PlaceholderValue {
  public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
}
extension Data: PlaceholderValue { public static var placeholder: Data { Data() } }
extension Decimal: PlaceholderValue { public static var placeholder: Decimal { 0 } }
extension URL: PlaceholderValue {
  public static var placeholder: URL { URL(filePath: "/") }
}
