import ApusBackground

extension BGTaskScheduler {
    /// The domain of ``Error``.
    public static let errorDomain = "BGTaskSchedulerErrorDomain"

    /// Why a request was not accepted. The message says what to do, which the real framework does not.
    public struct Error: CustomNSError, LocalizedError, Hashable, Sendable {
        /// The kinds of failure.
        public enum Code: Int, Sendable {
            /// The user has switched background refresh off, or the device is a simulator.
            case unavailable = 1
            /// As many requests of this kind are pending as the system keeps.
            case tooManyPendingTaskRequests = 2
            /// The app did not declare the identifier or the mode, or the resource is not there.
            case notPermitted = 3
            /// A continued task that does not wait cannot begin now.
            case immediateRunIneligible = 4

            /// Whether an error has this code, for `catch BGTaskScheduler.Error.notPermitted`.
            public static func ~= (code: Code, error: any Swift.Error) -> Bool {
                (error as? BGTaskScheduler.Error)?.code == code
            }
        }

        /// The kind of failure.
        public let code: Code
        private let message: String

        /// An error of that kind.
        public init(_ code: Code) {
            self.code = code
            message = "\(code)"
        }

        init(_ error: BackgroundJobError) {
            code =
                switch error.code {
                case .unavailable: .unavailable
                case .tooManyPending: .tooManyPendingTaskRequests
                case .cannotStartNow: .immediateRunIneligible
                default: .notPermitted
                }
            message = error.message
        }

        /// ``BGTaskScheduler/errorDomain``.
        public static var errorDomain: String { BGTaskScheduler.errorDomain }
        /// The number of the code.
        public var errorCode: Int { code.rawValue }
        /// What happened and what to do about it.
        public var errorDescription: String? { message }

        /// See ``Code``.
        public static var unavailable: Code { .unavailable }
        /// See ``Code``.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// See ``Code``.
        public static var notPermitted: Code { .notPermitted }
        /// See ``Code``.
        public static var immediateRunIneligible: Code { .immediateRunIneligible }
    }
}
