import Audit
import Counting
import ImageModel
import Ordering
import PagesFormat
import Prediction
import Projects

// The figures of the documents whose counts repeat exactly. Each figure has a name, a unit, and the direction that is
// better.

extension AuditFigures {
  /// The work that the loader has before main, for the image and the libraries that come with it.
  var committedImages: [CommittedDocument.Image] {
    [
      .init(
        reference: image,
        sets: [
          .init(
            .audit,
            metrics: [
              HistoryMetric("libraries", .libraries, .lower, libraries.count),
              HistoryMetric(
                "embeddedLibraries", .libraries, .lower,
                libraries.count { $0.isEmbedded == true }),
              HistoryMetric("initializers", .functions, .lower, initializers.count),
              HistoryMetric("relocations", .words, .lower, relocations),
              HistoryMetric("findings", .findings, .lower, findings),
            ]), .init(.tasks, metrics: taskMetrics),
        ])
    ]
  }
}

extension PagesDocument {
  /// The pages that the launch touched, by page size and segment.
  var committedImages: [CommittedDocument.Image] {
    images.map { image in
      .init(
        reference: image.image,
        sets: Self.pageSizes.map { size in
          .init(
            .pages, pageSize: size,
            metrics: [
              HistoryMetric("textPages", .pages, .lower, image.textCount(executed: true, size)),
              HistoryMetric("readTextPages", .pages, .lower, image.textOnlyReadCount(size)),
              HistoryMetric("readOnlyPages", .pages, .lower, image.count(of: .readOnly, size)),
              HistoryMetric("dataPages", .pages, .lower, image.count(of: .data, size)),
              // The kernel reads whole pages of 4 KiB.
              size == .fourKibibytes
                ? image.prefetch.flatMap {
                  HistoryMetric("unprefetched", .pages, .lower, $0.outside)
                } : nil,
            ])
        })
    }
  }
}

extension DiffDocument {
  /// The figures of the layout after the change: predicted figures, and how far the linker followed the order file.
  ///
  /// - Throws: if the document predicts nothing.
  func committedImages() throws(Diagnostic) -> [CommittedDocument.Image] {
    if let refusal { throw Diagnostic("invalid document: it predicts nothing, because \(refusal)") }
    return [figures]
  }

  /// The figures of the layout after the change. If the document predicts nothing, there are no predicted figures.
  var figures: CommittedDocument.Image {
    let predicted: [HistoryMetric?] =
      [
        HistoryMetric("predictedPages", .pages, .lower, prediction.pages.after),
        HistoryMetric("predictedPagesAtMost", .pages, .lower, prediction.pagesAtMost.after),
        HistoryMetric("predictedWindows64k", .windows, .lower, prediction.windows64k.after),
        HistoryMetric("floorPages", .pages, .lower, after.floorPages),
        HistoryMetric("startupBytes", .bytes, .lower, Double(after.startupBytes)),
        HistoryMetric("startupFunctions", .functions, .none, after.startupFunctions),
      ]
    let found: [HistoryMetric?] =
      [
        presence.flatMap { HistoryMetric("present", .higher, share: $0.after, of: $0.all) },
        recordable.flatMap {
          HistoryMetric(
            "recordable", .higher, share: Int(clamping: $0.portion.recordable),
            of: Int(clamping: $0.portion.all))
        },
        compliance.drifted.map { HistoryMetric("drifted", .functions, .lower, $0.count) },
        compliance.prefetch.flatMap {
          HistoryMetric("unprefetched", .lower, share: $0.outside, of: $0.functions)
        },
      ] + (compliance.order?.metrics ?? []) + (compliance.coverage?.metrics ?? [])
    return .init(
      reference: after.image,
      sets: [
        .init(
          .diff, pageSize: prediction.pageSize,
          metrics: (refusal == nil ? predicted : []) + found)
      ])
  }
}

extension OrderCoverage {
  /// The shares of the startup functions, and of their bytes, that are in order.
  fileprivate var metrics: [HistoryMetric?] {
    [
      HistoryMetric("covered", .higher, share: covered, of: functions),
      HistoryMetric(
        "coveredBytes", .higher, share: Int(clamping: coveredBytes), of: Int(clamping: bytes)),
    ]
  }
}

extension OrderCompliance {
  /// The share of entries that the image lacks, and the share of the other entries that are in the requested order.
  fileprivate var metrics: [HistoryMetric?] {
    [
      HistoryMetric("stale", .lower, share: entries - present, of: entries),
      HistoryMetric("inOrder", .higher, share: inOrder, of: present),
    ]
  }
}

extension VerifyFigures {
  /// The share of the order file's entries that are stale in the build.
  var committedImages: [CommittedDocument.Image] {
    [
      .init(
        reference: image,
        sets: [
          .init(
            .verify,
            metrics: [
              // An order file without an entry for the build counts as wholly stale. An order file that has only
              // strings can't be verified, so nothing of it counts as stale.
              entries == 0
                ? HistoryMetric("stale", .lower, share: namesNothing ? 1 : 0, of: 1)
                : HistoryMetric("stale", .lower, share: stale, of: entries),
              prefetch.flatMap {
                HistoryMetric("unprefetched", .lower, share: $0.outside, of: $0.all)
              },
            ])
        ])
    ]
  }
}

extension FaultsDocument {
  /// The major faults on pages that should have been in memory, and the requests to a device. The first file is the
  /// launched program's.
  var committedImages: [CommittedDocument.Image] {
    files.prefix(1).map { program in
      .init(
        reference: program,
        sets: [
          .init(
            .faults,
            metrics: [
              prefetchedFaults.flatMap {
                HistoryMetric("prefetchedFaults", .faults, .lower, $0)
              }, requests.flatMap { HistoryMetric("requests", .requests, .lower, Double($0)) },
              readBytes.flatMap { HistoryMetric("readBytes", .bytes, .lower, Double($0)) },
            ])
        ])
    }
  }
}

extension GenFigures {
  var committedImages: [CommittedDocument.Image] {
    images.map { image in
      .init(
        reference: image.image,
        sets: [
          .init(
            .gen,
            metrics: [
              HistoryMetric("entries", .entries, .none, image.entries),
              HistoryMetric("startupBytes", .bytes, .lower, image.startupBytes),
              HistoryMetric("textBytes", .bytes, .none, image.textBytes),
              HistoryMetric("recordedFunctions", .functions, .none, image.recordedFunctions),
              HistoryMetric(
                "resolved", .higher, share: image.resolvedFunctions, of: image.recordedFunctions),
              HistoryMetric(
                "untracedInitializers", .functions, .lower, image.untracedInitializers),
            ])
        ])
    }
  }
}

extension AutoFigures {
  /// The figures of the images in the new order.
  var committedImages: [CommittedDocument.Image] {
    images.map { image in
      let predicted = HistoryMetric("predictedPages", .pages, .lower, image.predicted.after)
      var reference = image.image
      reference.path = folder + "/" + reference.path
      return .init(
        reference: reference,
        sets: [
          .init(
            .auto, pageSize: .fourKibibytes,
            metrics: [
              image.pages.map { HistoryMetric("textPages", .pages, .lower, $0.after) }, predicted,
              HistoryMetric("startupFunctions", .functions, .none, image.functions),
            ] + image.compliance.metrics),
          .init(
            .auto, pageSize: .sixteenKibibytes,
            metrics: [image.pages16k.map { HistoryMetric("textPages", .pages, .lower, $0.after) }]),
        ])
    }
  }
}
