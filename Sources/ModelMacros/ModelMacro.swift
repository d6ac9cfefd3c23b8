#if Macros
  internal import SwiftDiagnostics
  public import SwiftSyntax
  internal import SwiftSyntaxBuilder
  public import SwiftSyntaxMacros

  /// Writes what `@Model` stands for: the visitor of a type's members, and what is known of them.
  public struct ModelMacro: ExtensionMacro {
    /// The conformance, and everything that follows from the members; reports what is wrong.
    public static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      var check = ModelCheck(declaration, attribute: node, inside: context.lexicalContext)
      let model = check.model()
      for diagnostic in check.diagnostics { context.diagnose(diagnostic) }
      guard let model else { return [] }
      return [try ExtensionDeclSyntax("\(raw: model.extensionText(of: type.trimmedDescription))")]
    }
  }

  /// A class can have an initialiser without parameters in its body only, and so can a public
  /// struct for which the compiler would write an internal one.
  extension ModelMacro: MemberMacro {
    /// That initialiser, for those which have none.
    public static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      // What is wrong is told by the other role, once.
      var check = ModelCheck(declaration, attribute: node, inside: context.lexicalContext)
      guard let model = check.model(), model.initializesInBody, let text = model.initializerText
      else { return [] }
      return ["\(raw: text)"]
    }
  }
#endif
