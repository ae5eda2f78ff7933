#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusBackground
    import BackgroundTasks
    import Foundation

    /// The conversion of requests to and from those of Apple's scheduler.
    extension BackgroundJobRequest {
        /// Returns the system's form of the request.
        ///
        /// - Throws: ``BackgroundJobError`` with the code `unavailable` for continued work on a system without it.
        func systemRequest(_ dates: AppleDates) throws(BackgroundJobError) -> BGTaskRequest {
            let request: BGTaskRequest
            switch kind {
            case .refresh:
                request = BGAppRefreshTaskRequest(identifier: identifier)
            case .processing(let requiresNetwork, let requiresExternalPower):
                let processing = BGProcessingTaskRequest(identifier: identifier)
                processing.requiresNetworkConnectivity = requiresNetwork
                processing.requiresExternalPower = requiresExternalPower
                request = processing
            case .continued(let job):
                // Continued work begins immediately or waits in a queue, so its request has no earliest date.
                return try systemRequest(for: job)
            }
            request.earliestBeginDate = earliestBegin.map(dates.date)
            return request
        }

        private func systemRequest(for job: ContinuedJob) throws(BackgroundJobError) -> BGTaskRequest {
            #if os(Linux) || (os(iOS) && !targetEnvironment(macCatalyst))
                if #available(iOS 26, *) {
                    let request = BGContinuedProcessingTaskRequest(
                        identifier: identifier, title: job.title, subtitle: job.subtitle)
                    switch job.strategy {
                    case .queue: request.strategy = .queue
                    case .fail: request.strategy = .fail
                    }
                    if job.requiresGPU { request.requiredResources = .gpu }
                    return request
                }
            #endif
            throw BackgroundJobError(
                code: .unavailable,
                message:
                    "“\(identifier)” is continued work, which needs iOS 26; on earlier systems, finish it under a background task"
            )
        }

        /// Creates a request from a pending request of the system.
        init(_ request: BGTaskRequest, _ dates: AppleDates) {
            var kind = Kind.refresh
            if let processing = request as? BGProcessingTaskRequest {
                kind = .processing(
                    requiresNetwork: processing.requiresNetworkConnectivity,
                    requiresExternalPower: processing.requiresExternalPower)
            }
            #if os(Linux) || (os(iOS) && !targetEnvironment(macCatalyst))
                if #available(iOS 26, *), let continued = request as? BGContinuedProcessingTaskRequest {
                    kind = .continued(
                        ContinuedJob(
                            title: continued.title, subtitle: continued.subtitle,
                            strategy: continued.strategy == .fail ? .fail : .queue,
                            requiresGPU: continued.requiredResources.contains(.gpu)))
                }
            #endif
            self.init(
                request.identifier, kind, earliestBegin: request.earliestBeginDate.map(dates.instant))
        }

        /// Creates a request from the task that the system has launched for it.
        ///
        /// An earlier process submitted the request. Only its identifier, its kind and, for continued work, its texts
        /// for the user are known.
        init(of task: BGTask) {
            var kind = Kind.refresh
            if task is BGProcessingTask { kind = .processing() }
            #if os(Linux) || (os(iOS) && !targetEnvironment(macCatalyst))
                if #available(iOS 26, *), let continued = task as? BGContinuedProcessingTask {
                    kind = .continued(ContinuedJob(title: continued.title, subtitle: continued.subtitle))
                }
            #endif
            self.init(task.identifier, kind)
        }
    }

    extension BackgroundJobError {
        /// Creates an error from an error of Apple's scheduler (`BGTaskScheduler.h`).
        ///
        /// The codes are numbers here, because older systems do not declare all of them.
        init(_ error: any Error, submitting request: BackgroundJobRequest) {
            let name = "“\(request.identifier)”"
            switch (error as? BGTaskScheduler.Error)?.code.rawValue {
            case 2:
                self.init(
                    code: .tooManyPending,
                    message: "\(name) was not accepted, because the system keeps 1 refresh and 10 processing requests; "
                        + "cancel one, or give both the same identifier",
                    cause: error)
            case 3:
                self.init(
                    code: .notPermitted,
                    message:
                        "\(name) was not accepted; check that BGTaskSchedulerPermittedIdentifiers has it, that its mode is in "
                        + "UIBackgroundModes, and that the device has what it requires",
                    cause: error)
            case 4:
                self.init(
                    code: .cannotStartNow,
                    message: "\(name) cannot begin now; submit it with the strategy .queue, or later",
                    cause: error)
            default:
                self.init(
                    code: .unavailable,
                    message: "\(name) was not accepted: background refresh is switched off, or this is a simulator",
                    cause: error
                )
            }
        }
    }
#endif
