// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A package of its own, so that what benchmarks need never reaches users of the library. A peer
// whose development files are not installed is left out; the program says so when it runs.

/// Whether a header lies where the compiler looks for it.
func isInstalled(_ header: String) -> Bool {
  ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains {
    FileManager.default.fileExists(atPath: "\($0)/\(header)")
  }
}

/// A peer with a C interface: the module that wraps its header, and what to install.
struct Peer {
  let module: String
  let header: String
  let condition: String
  let pkgConfig: String?
  let debianPackage: String
  let brewPackage: String
}

let peers = [
  Peer(
    module: "CRocksDB", header: "rocksdb/c.h", condition: "HAS_ROCKSDB", pkgConfig: "rocksdb",
    debianPackage: "librocksdb-dev", brewPackage: "rocksdb"),
  Peer(
    module: "CLMDB", header: "lmdb.h", condition: "HAS_LMDB", pkgConfig: "lmdb",
    debianPackage: "liblmdb-dev", brewPackage: "lmdb"),
  // Debian's package has no file for pkg-config.
  Peer(
    module: "CLevelDB", header: "leveldb/c.h", condition: "HAS_LEVELDB", pkgConfig: nil,
    debianPackage: "libleveldb-dev", brewPackage: "leveldb"),
  Peer(
    module: "CSQLite", header: "sqlite3.h", condition: "HAS_SQLITE", pkgConfig: "sqlite3",
    debianPackage: "libsqlite3-dev", brewPackage: "sqlite"),
].filter { isInstalled($0.header) }

/// GRDB needs SQLite.
let hasSQLite = peers.contains { $0.module == "CSQLite" }

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "LogStore", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    // For the micro-benchmarks alone; it asks for interposers of malloc and the runtime otherwise.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ] + (hasSQLite ? [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")] : []),
  targets: peers.map { peer in
    .systemLibrary(
      name: peer.module, pkgConfig: peer.pkgConfig,
      providers: [.apt([peer.debianPackage]), .brew([peer.brewPackage])])
  } + [
    .systemLibrary(name: "CPrefetch"),
    // The main package tests it too.
    .target(
      name: "PolicySimulation", dependencies: [.product(name: "ObjectStore", package: "LogStore")],
      path: "Sources/PolicySimulation", swiftSettings: strict),
    .executableTarget(
      name: "logstore-bench",
      dependencies: [
        "PolicySimulation", "CPrefetch",
        .product(name: "LogStore", package: "LogStore"),
        .product(name: "ObjectStore", package: "LogStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ] + (hasSQLite ? [.product(name: "GRDB", package: "GRDB.swift")] : [])
        + peers.map { .target(name: $0.module) },
      path: "Sources/LogStoreBench",
      swiftSettings: strict + peers.map { .define($0.condition) }),
    // Built by `make bench-micro` only: it looks inside the modules it measures.
    .executableTarget(
      name: "Micro",
      dependencies: [
        .product(name: "LogStore", package: "LogStore"),
        .product(name: "ObjectStore", package: "LogStore"),
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/Micro", swiftSettings: strict,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6]
)
