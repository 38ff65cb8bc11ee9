import Audit
import CommandSupport
import Counting
import FileContents
import JSON
import Measuring
import Ordering
import PagesFormat
import Prediction
import Projects
import Recording
import Stages

/// All kinds of documents that commands write, and the launches that people write; `--version` lists their schemas.
package let documents: [any JSONDocument.Type] = [
  DiffDocument.self, ImageDocument.self, LinkMapDocument.self, OrderFileDocument.self,
  ClusterProfileDocument.self, ProfileDocument.self, PayloadDocument.self, TraceDocument.self,
  GenDocument.self,
  ImportDocument.self,
  PagesDocument.self, FaultsDocument.self,
  MeasureDocument.self, RefineDocument.self, AutoDocument.self, DoctorDocument.self,
  AuditDocument.self, AdviceDocument.self, ReportDocument.self, StagesDocument.self,
  VerifyDocument.self, LaunchSummary.self, LaunchSet.self,
]
