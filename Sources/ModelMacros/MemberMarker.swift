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
      }
      return []
    }

    /// A computed member is transient anyway.
    private static func isStored(_ variable: VariableDeclSyntax, _ name: String) -> Bool {
      name.hasSuffix("Transient") || !variable.bindings.allSatisfy(ModelCheck.isComputed)
    }
  }
#endif
