#if Macros
  internal import SwiftSyntax

  /// Finds where an initialiser calls one without arguments.
  final class DelegationSearch: SyntaxVisitor {
    /// The calls of `self.init()`.
    private(set) var found: [FunctionCallExprSyntax] = []

    init(_ initializer: InitializerDeclSyntax) {
      super.init(viewMode: .sourceAccurate)
      if let body = initializer.body { walk(body) }
    }

    override func visit(_ call: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      if call.arguments.isEmpty, call.trailingClosure == nil,
        let member = call.calledExpression.as(MemberAccessExprSyntax.self),
        member.declName.baseName.tokenKind == .keyword(.`init`),
        member.base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
      {
        found.append(call)
      }
      return .visitChildren
    }
  }
#endif
