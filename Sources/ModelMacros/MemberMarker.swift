#if Macros
  internal import SwiftDiagnostics
  public import SwiftSyntax
  public import SwiftSyntaxMacros

  /// `@PrimaryKey`, `@Indexed`, `@Unique`, `@Transient` and `@Renamed`: words for `@Model` to read.
  public struct MemberMarker: PeerMacro {
    /// Adds nothing; reports a marker that stands where no stored member is.
    public static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      let name = node.attributeName.trimmedDescription
      guard let variable = declaration.as(VariableDeclSyntax.self), isStored(variable, name) else {
        context.diagnose(
          Diagnostic(node: node, message: ModelMessage("@\(name) belongs to a stored member")))
        return []
      }
      if variable.modifiers.contains(where: { $0.name.text == "static" }) {
        context.diagnose(
          Diagnostic(
            node: node,
            message: ModelMessage("@\(name) belongs to a member of objects, not of the type")))
      } else if !isInModel(context.lexicalContext.first) {
        let word = ModelCheck.name(node.attributeName, in: "ObjectStore") ?? name
        context.diagnose(
          Diagnostic(
            node: node,
            message: ModelMessage(
              "@\(word) means something in a type with @Model only; by hand, "
                + (byHand[word] ?? "see its documentation"))))
      }
      return []
    }

    /// What says the same in a type that is written without `@Model`.
    private static let byHand = [
      "PrimaryKey": "name the member in 'primaryKey'", "Indexed": "list the member in 'indexes'",
      "Unique": "list the member in 'indexes' as .unique",
      "Transient": "leave the member out of 'visitMembers'",
      "Renamed": "list the name in 'formerNames'",
    ]

    /// Whether `@Model` reads what stands in `surrounding`. What an extension extends cannot be
    /// seen, and it has computed members only; nor can attributes be told that `#if` leaves out.
    private static func isInModel(_ surrounding: Syntax?) -> Bool {
      guard let surrounding, !surrounding.is(ExtensionDeclSyntax.self) else {
        return surrounding != nil
      }
      let attributes = surrounding.asProtocol((any WithAttributesSyntax).self)?.attributes ?? []
      return attributes.contains { element in
        guard case .attribute(let attribute) = element else {
          return element.description.contains("Model")
        }
        return ModelCheck.name(attribute.attributeName, in: "ObjectStore") == "Model"
      }
    }

    /// A computed member is transient anyway.
    private static func isStored(_ variable: VariableDeclSyntax, _ name: String) -> Bool {
      name.hasSuffix("Transient") || !variable.bindings.allSatisfy(ModelCheck.isComputed)
    }
  }
#endif
