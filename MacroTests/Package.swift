// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// The tests of `@Model`, in a package of their own: they build swift-syntax, which takes minutes.
///
/// It uses LogStore as an app does that wants the macro, and holds the macro's sources once more
/// (a link), because tests of an expansion must call it as plain code.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "MacroTests",
  platforms: [.macOS(.v15), .iOS(.v18)],
  traits: [.trait(name: "Macros"), .default(enabledTraits: ["Macros"])],
  dependencies: [
    .package(name: "LogStore", path: "..", traits: ["Macros"]),
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"604.0.0"),
  ],
  targets: [
    .macro(
      name: "ModelMacroSources",
      dependencies: [
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ModelMacroTests",
      dependencies: [
        "ModelMacroSources", .product(name: "ObjectStore", package: "LogStore"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
