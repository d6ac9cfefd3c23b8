#if Macros
  internal import SwiftSyntax

  /// Finds where an initialiser calls one of its type.
  final class DelegationSearch: SyntaxVisitor {
    /// The calls of `self.init`, and what else makes an object of the type.
    private(set) var found: [FunctionCallExprSyntax] = []
    private let typeName: String
    /// That of what the type stands in.
    private let outerName: String?

    init(_ initializer: InitializerDeclSyntax, of typeName: String, inside outerName: String?) {
      self.typeName = typeName
      self.outerName = outerName
      super.init(viewMode: .sourceAccurate)
      if let body = initializer.body { walk(body) }
    }

    // What is declared inside calls initialisers of its own.
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    // A closure may be called when all is set, and then nothing is without end.
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ call: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      if initializes(call) { found.append(call) }
      return .visitChildren
    }

    private func initializes(_ call: FunctionCallExprSyntax) -> Bool {
      let becomesSelf = Self.becomesSelf(call)
      // Another object that is made on a condition only may be the last one.
      let isAlwaysMade = becomesSelf || !Self.isConditional(call)
      guard let member = call.calledExpression.as(MemberAccessExprSyntax.self),
        member.declName.baseName.tokenKind == .keyword(.`init`)
      else { return isAlwaysMade && isType(call.calledExpression, becomesSelf) }
      guard let base = member.base else { return becomesSelf }
      return Self.isSelf(base) || isAlwaysMade && isType(base, becomesSelf)
    }

    /// Whether a call is part of something that chooses, or may go on without it.
    private static func isConditional(_ call: FunctionCallExprSyntax) -> Bool {
      var next = call.parent
      while let node = next {
        switch node.kind {
        case .ifExpr, .guardStmt, .switchExpr, .ternaryExpr, .unresolvedTernaryExpr, .forStmt,
          .whileStmt, .catchClause:
          return true
        case .initializerDecl: return false
        default: next = node.parent
        }
      }
      return false
    }

    private static func isSelf(_ expression: ExprSyntax) -> Bool {
      expression.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
    }

    /// Whether an expression names the type: what becomes `self` is of no other, but elsewhere one
    /// inside of another type may have the same name.
    private func isType(_ expression: ExprSyntax, _ becomesSelf: Bool) -> Bool {
      if let generic = expression.as(GenericSpecializationExprSyntax.self) {
        return isType(generic.expression, becomesSelf)
      }
      guard let name = Self.name(expression) else { return false }
      guard let member = expression.as(MemberAccessExprSyntax.self) else {
        return name == "Self" || name == typeName
      }
      guard name == typeName, let base = member.base else { return false }
      return becomesSelf || outerName != nil && Self.name(base) == outerName
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
