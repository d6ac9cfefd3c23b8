#if Macros
  internal import SwiftSyntax

  /// Finds where an initialiser calls one without arguments.
  final class DelegationSearch: SyntaxVisitor {
    /// The calls of `self.init()`, and what else sets `self` to a new object.
    private(set) var found: [FunctionCallExprSyntax] = []
    private let typeName: String

    init(_ initializer: InitializerDeclSyntax, of typeName: String) {
      self.typeName = typeName
      super.init(viewMode: .sourceAccurate)
      if let body = initializer.body { walk(body) }
    }

    // What is declared inside calls initialisers of its own.
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ call: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      guard call.arguments.isEmpty, call.trailingClosure == nil else { return .visitChildren }
      if let member = call.calledExpression.as(MemberAccessExprSyntax.self) {
        guard member.declName.baseName.tokenKind == .keyword(.`init`) else { return .visitChildren }
        let isOfSelf = member.base.map(Self.isSelf) == true
        let isOfType = member.base.map(isType) ?? true
        if isOfSelf || isOfType && Self.becomesSelf(call) { found.append(call) }
      } else if isType(call.calledExpression), Self.becomesSelf(call) {
        found.append(call)
      }
      return .visitChildren
    }

    private static func isSelf(_ expression: ExprSyntax) -> Bool {
      expression.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
    }

    private func isType(_ expression: ExprSyntax) -> Bool {
      guard let name = expression.as(DeclReferenceExprSyntax.self)?.baseName else { return false }
      return name.tokenKind == .keyword(.Self) || name.text == typeName
    }

    /// Whether `self` is set to it, in a list of operators and operands or in a tree of them.
    private static func becomesSelf(_ call: FunctionCallExprSyntax) -> Bool {
      if let assignment = call.parent?.as(InfixOperatorExprSyntax.self) {
        return isSelf(assignment.leftOperand) && assignment.operator.is(AssignmentExprSyntax.self)
      }
      guard let parts = call.parent?.as(ExprListSyntax.self).map(Array.init), parts.count == 3
      else { return false }
      return isSelf(parts[0]) && parts[1].is(AssignmentExprSyntax.self)
    }
  }
#endif
