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

    // What is declared inside calls initialisers of its own.
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

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
