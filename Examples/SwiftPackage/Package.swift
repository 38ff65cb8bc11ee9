// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Greet",
  targets: [
    .target(name: "CClock"),
    .target(name: "Phrases"),
    .target(name: "Catalog", dependencies: ["Phrases"]),
    .executableTarget(name: "greet", dependencies: ["Catalog", "CClock"]),
  ]
)
