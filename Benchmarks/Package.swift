// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what benchmarks need never reaches users of the library.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "LogStore", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "logstore-bench",
      dependencies: [
        .product(name: "LogStore", package: "LogStore"),
        .product(name: "ObjectStore", package: "LogStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/LogStoreBench",
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
