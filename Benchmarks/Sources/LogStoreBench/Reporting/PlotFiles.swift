import Foundation

/// The plots against the number of records, each as a file.
enum PlotFiles {
  /// Writes them to `folder`, which is made when it is missing; the names are those of workloads.
  static func write(_ run: RunFile, to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (workload, svg) in ScalingPlots(run: run).all {
      let file = URL(filePath: folder).appending(path: "\(workload).svg")
      try Data(SVG.document(svg).utf8).write(to: file)
    }
  }
}
