// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Strict settings for every Swift target; see Documentation/StyleGuide.md.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// Bugs that tests plant for the crash simulator to find; release builds have none of them.
let planted: [SwiftSetting] = [.define("PLANTED_BUGS", .when(configuration: .debug))]

let package = Package(
  name: "LogStore",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "ObjectStore", targets: ["ObjectStore"]),
    .library(name: "LogStore", targets: ["LogStore"]),
    .library(name: "LogStoreTesting", targets: ["LogStoreTesting"]),
    .library(name: "StoreTelemetry", targets: ["StoreTelemetry"]),
    .library(name: "LogStoreCommands", targets: ["LogStoreCommands"]),
    .executable(name: "logstore", targets: ["LogStoreTool"]),
  ],
  traits: [
    .trait(name: "Macros", description: "@Model, which takes minutes to build: see decision 0033.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // For @Model alone: it is neither fetched nor built without the trait.
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"604.0.0"),
    // For StoreTelemetry alone: who does not use that product builds neither.
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    // 0  Platform: compression and checksums in C, and what of Linux only C has.
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(name: "CChecksum"),
    .systemLibrary(name: "CLinux"),
    // 1  Bytes to integers and back, collections for any value; the operating system behind one seam.
    .target(name: "BinaryCoding", dependencies: ["CChecksum"], swiftSettings: strict),
    .target(name: "FileIO", dependencies: ["CLinux"], swiftSettings: strict),
    // 2  The log knows no schema; the registry knows no log.
    .target(
      name: "LogStore", dependencies: ["FileIO", "BinaryCoding", "CLZ4"],
      swiftSettings: strict + planted),
    .target(name: "SchemaRegistry", dependencies: ["BinaryCoding"], swiftSettings: strict),
    // 3  Where the two meet.
    .target(
      name: "Compaction", dependencies: ["LogStore", "SchemaRegistry", "BinaryCoding"],
      swiftSettings: strict),
    // 4  What apps import.
    .target(
      name: "ObjectStore",
      dependencies: [
        "Compaction", "LogStore", "SchemaRegistry", "BinaryCoding", "FileIO",
        .target(name: "ModelMacros", condition: .when(traits: ["Macros"])),
      ],
      swiftSettings: strict),
    // The compiler's part of @Model; empty without the trait.
    .macro(
      name: "ModelMacros",
      dependencies: [
        .product(
          name: "SwiftSyntaxMacros", package: "swift-syntax",
          condition: .when(traits: ["Macros"])),
        .product(
          name: "SwiftCompilerPlugin", package: "swift-syntax",
          condition: .when(traits: ["Macros"])),
      ],
      swiftSettings: strict),
    // 4  Beside it: what happens to a store, for the logs and metrics of an app.
    .target(
      name: "StoreTelemetry",
      dependencies: [
        "LogStore", .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
      swiftSettings: strict),
    // 5  For tests of apps: stores of old versions, and histories put to the test.
    .target(
      name: "LogStoreTesting", dependencies: ["ObjectStore", "FileIO"], swiftSettings: strict),
    // 5  The command: a library generic over a history, and the tool itself.
    .target(
      name: "LogStoreCommands",
      dependencies: [
        "ObjectStore", "Compaction", "LogStore", "SchemaRegistry", "FileIO",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "LogStoreTool",
      dependencies: ["LogStoreCommands"], swiftSettings: strict),
    // Examples; all of them are tested.
    .executableTarget(
      name: "PackageCatalogue",
      dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Examples/PackageCatalogue",
      exclude: ["README.md", "history.json", "sample-packages.txt"],
      swiftSettings: strict),
    .executableTarget(
      name: "QuickStart", dependencies: ["ObjectStore"], path: "Examples/QuickStart",
      swiftSettings: strict),
    .executableTarget(
      name: "CompactWithClosures",
      dependencies: [
        "LogStoreCommands", "SchemaRegistry",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/CompactWithClosures", exclude: ["README.md"], swiftSettings: strict),
    // Tests; StorageTestSupport is a plain target without a product.
    .target(
      name: "StorageTestSupport", dependencies: ["FileIO", "BinaryCoding"],
      path: "Tests/StorageTestSupport", swiftSettings: strict),
    // The crash simulator: a library for the tests, and a command for long runs; no products.
    .target(
      name: "LogStoreSimulation", dependencies: ["LogStore", "FileIO", "StorageTestSupport"],
      path: "Tests/LogStoreSimulation", swiftSettings: strict + planted),
    .executableTarget(
      name: "logstore-simulation",
      dependencies: [
        "LogStoreSimulation", "StorageTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/SimulationTool", swiftSettings: strict),
    // Random histories: a library for the tests, and a command for long runs; no products.
    .target(
      name: "HistoryTestSupport",
      dependencies: ["BinaryCoding", "SchemaRegistry", "StorageTestSupport"],
      path: "Tests/HistoryTestSupport", swiftSettings: strict),
    .executableTarget(
      name: "logstore-histories",
      dependencies: [
        "HistoryTestSupport", "StorageTestSupport", "ObjectStore", "FileIO",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/HistoryTool", swiftSettings: strict),
    // What tests start as a process of its own: writers that lose power, runs that must repeat.
    .executableTarget(
      name: "WorkloadProcess",
      dependencies: ["ObjectStore", "LogStore", "SchemaRegistry", "FileIO", "StorageTestSupport"],
      path: "Tests/WorkloadProcess", swiftSettings: strict),
    .testTarget(
      name: "BinaryCodingTests", dependencies: ["BinaryCoding", "StorageTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "FileIOTests", dependencies: ["FileIO", "StorageTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "LogStoreTests",
      dependencies: [
        "LogStore", "BinaryCoding", "FileIO", "StorageTestSupport", "LogStoreSimulation",
      ],
      // Stores of every format version, and scripts of the simulator, found from where the tests'
      // sources stand.
      exclude: ["Fixtures", "Simulation/Regressions"], swiftSettings: strict + planted),
    .testTarget(
      name: "SchemaRegistryTests",
      dependencies: [
        "SchemaRegistry", "BinaryCoding", "StorageTestSupport", "HistoryTestSupport",
      ],
      // The golden file of errors, found from where the tests' sources stand.
      exclude: ["Fixtures"], swiftSettings: strict),
    // Stores without a disk, on which policies are tried; benchmarks use the same sources.
    .target(
      name: "PolicySimulation", dependencies: ["ObjectStore"],
      path: "Benchmarks/Sources/PolicySimulation", swiftSettings: strict),
    .testTarget(
      name: "CompactionTests",
      dependencies: [
        "PolicySimulation", "Compaction", "LogStore", "SchemaRegistry", "BinaryCoding", "FileIO",
        "StorageTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ObjectStoreTests",
      dependencies: [
        "ObjectStore", "Compaction", "LogStore", "SchemaRegistry", "BinaryCoding", "FileIO",
        "StorageTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LogStoreTestingTests",
      dependencies: [
        "LogStoreTesting", "ObjectStore", "FileIO", "StorageTestSupport", "HistoryTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LogStoreCommandTests",
      dependencies: [
        "LogStoreCommands", "LogStoreTool", "ObjectStore", "SchemaRegistry", "LogStore", "FileIO",
        "BinaryCoding", "StorageTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "PackageCatalogue", "QuickStart", "CompactWithClosures", "LogStoreCommands", "ObjectStore",
        "LogStoreTesting", "StoreTelemetry", "FileIO", "StorageTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StoreTelemetryTests",
      dependencies: [
        "StoreTelemetry", "LogStore", "FileIO", "StorageTestSupport",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "WorkloadTests",
      dependencies: ["WorkloadProcess", "LogStore", "FileIO", "StorageTestSupport"],
      swiftSettings: strict),
    .testTarget(name: "TidyTests", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
