public import Foundation

/// A progress that reports its changes, because a `Progress` cannot be observed on Linux.
///
/// For `@unchecked Sendable`, which subclasses must repeat: `Progress` conforms, and this class adds only a constant.
open class ReportingProgress: Progress, @unchecked Sendable {
    private let report: @Sendable (Int64, Int64) -> Void

    /// Creates a progress that calls `report` with the completed and the total number of units, once there is a total.
    package init(_ report: @escaping @Sendable (Int64, Int64) -> Void) {
        self.report = report
        super.init(parent: nil, userInfo: nil)
    }

    override open var completedUnitCount: Int64 {
        didSet { reportChange() }
    }

    override open var totalUnitCount: Int64 {
        didSet { reportChange() }
    }

    private func reportChange() {
        if totalUnitCount > 0 { report(completedUnitCount, totalUnitCount) }
    }
}
