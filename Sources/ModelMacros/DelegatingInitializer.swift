#if Macros
  internal import SwiftSyntax

  /// An initialiser with parameters, and the calls by which it delegates to another.
  struct DelegatingInitializer {
    let calls: [FunctionCallExprSyntax]
    private let parameters: FunctionParameterListSyntax

    init(_ initializer: InitializerDeclSyntax, of typeName: String) {
      calls = DelegationSearch(initializer, of: typeName).found
      parameters = initializer.signature.parameterClause.parameters
    }

    /// Whether it can be called without arguments.
    var needsNothing: Bool { parameters.allSatisfy(Self.mayBeLeftOut) }

    /// No values are a list of values, too.
    private static func mayBeLeftOut(_ parameter: FunctionParameterSyntax) -> Bool {
      parameter.defaultValue != nil || parameter.ellipsis != nil
    }

    /// How many parameters a call leaves out that may be one of this initialiser, as far as the
    /// names of its arguments tell; nothing where it is none.
    func leftOutCount(by call: FunctionCallExprSyntax) -> Int? {
      var count = 0
      var labels = call.arguments.map { argument in argument.label?.text }
      var closureCount =
        (call.trailingClosure == nil ? 0 : 1) + call.additionalTrailingClosures.count
      for parameter in parameters {
        let isNamed = parameter.firstName.tokenKind != .wildcard
        if let label = labels.first, label == (isNamed ? parameter.firstName.text : nil) {
          labels.removeFirst()
          guard parameter.ellipsis != nil else { continue }
          while let next = labels.first, next == nil { labels.removeFirst() }
        } else if !Self.mayBeLeftOut(parameter) {
          guard closureCount > 0 else { return nil }
          closureCount -= 1
        } else {
          count += 1
        }
      }
      return labels.isEmpty ? count : nil
    }
  }
#endif
