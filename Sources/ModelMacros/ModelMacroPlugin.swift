#if Macros
  internal import SwiftCompilerPlugin
  internal import SwiftSyntaxMacros

  /// What the compiler starts to expand the macros.
  @main
  struct ModelMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [ModelMacro.self, MemberMarker.self]
  }
#else
  /// Nothing: the trait `Macros` is off.
  @main
  struct ModelMacroPlugin {
    static func main() {}
  }
#endif
