#if Macros
  internal import SwiftSyntax

  /// Finds where an initialiser delegates to one of its type.
  final class DelegationSearch: SyntaxVisitor {
    /// The calls of `self.init`, and of what makes an object that `self` is set to.
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
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    // A closure may be called when all is set, and then nothing is without end.
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ call: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      if initializes(call) { found.append(call) }
      return .visitChildren
    }

    // Another object that an initialiser makes may be the last one, as on a condition.
    private func initializes(_ call: FunctionCallExprSyntax) -> Bool {
      let becomesSelf = Self.becomesSelf(call)
      guard let member = call.calledExpression.as(MemberAccessExprSyntax.self),
        member.declName.baseName.tokenKind == .keyword(.`init`)
      else { return becomesSelf && isType(call.calledExpression) }
      guard let base = member.base else { return becomesSelf }
      return Self.isSelf(base) || becomesSelf && isType(base)
    }

    private static func isSelf(_ expression: ExprSyntax) -> Bool {
      expression.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
    }

    /// Whether an expression names the type, by whatever stands before its name.
    private func isType(_ expression: ExprSyntax) -> Bool {
      guard let name = Self.name(expression) else { return false }
      return name == typeName || name == "Self" && expression.is(DeclReferenceExprSyntax.self)
    }

    /// The last name in an expression of names.
    private static func name(_ expression: ExprSyntax) -> String? {
      if let generic = expression.as(GenericSpecializationExprSyntax.self) {
        return name(generic.expression)
      }
      let reference =
        expression.as(MemberAccessExprSyntax.self)?.declName
        ?? expression.as(DeclReferenceExprSyntax.self)
      return reference?.baseName.text
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
