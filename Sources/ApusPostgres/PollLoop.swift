#if Postgres
    import ApusTimers
    import PlatformC

    /// The thread of connections to PostgreSQL, which waits for their sockets and runs their actors.
    ///
    /// It ends when its last owner is released; connections are owners.
    package final class PostgresThread: Sendable {
        /// The default thread of connections, which lasts as long as the process.
        package static let shared = PostgresThread()

        let loop: PollLoop
        /// The executor for tasks that use connections of this thread often.
        ///
        /// Its tasks continue while all threads of the global executor are blocked.
        let tasks: PollTasks

        package init() {
            let loop = PollLoop()
            (self.loop, tasks) = (loop, PollTasks(loop))
            loop.start()
        }

        deinit { loop.stop() }

        /// The executor for an actor that uses connections of this thread often, so that its calls do not switch
        /// threads.
        ///
        /// The actor must retain the thread. Its work delays the connections.
        package var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    }

    /// A descriptor for which the loop waits, used on the loop's thread only.
    final class PollSource {
        var descriptor: Int32
        var interest: Readiness
        /// The closure that the loop calls when the descriptor is ready.
        let ready: (Readiness) -> Void

        init(descriptor: Int32, interest: Readiness, ready: @escaping (Readiness) -> Void) {
            self.descriptor = descriptor
            self.interest = interest
            self.ready = ready
        }
    }

    /// The executor of connections, and of the tasks that keep a node in its cluster: one thread that runs jobs and
    /// waits in `poll`, on Linux and Darwin alike.
    ///
    /// For `@unchecked Sendable`: `inbox` and `thread` are locks; `sources`, `ends` and `polls` are used on the loop's
    /// thread only; the rest is immutable.
    final class PollLoop: SerialExecutor, @unchecked Sendable {
        fileprivate enum Work {
            case job(UnownedJob)
            case task(UnownedJob, UnownedTaskExecutor)
            case call(@Sendable () -> Void)
        }

        private struct Inbox {
            var work: [Work] = []
            /// Whether the thread is in `poll`, or about to be, and was not woken yet.
            var isWaiting = false
            var isStopped = false

            /// Returns whether the thread must be woken; the answer is true only once for each wait.
            mutating func takeWaiting() -> Bool {
                defer { isWaiting = false }
                return isWaiting
            }
        }

        private let inbox = Locked(Inbox())
        private let wakeReader: Int32
        private let wakeWriter: Int32
        private let thread = Locked<SystemThread?>(nil)
        private var sources: [ObjectIdentifier: PollSource] = [:]
        private var ends: [() -> Void] = []
        /// The number of calls of `poll`, for tests.
        private(set) var polls = 0

        init() {
            var descriptors: [Int32] = [0, 0]
            precondition(
                pipe(&descriptors) == 0, "PostgreSQL's thread cannot be woken: pipe failed with error \(errno)")
            for descriptor in descriptors {
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
            (wakeReader, wakeWriter) = (descriptors[0], descriptors[1])
        }

        deinit {
            close(wakeReader)
            close(wakeWriter)
        }

        // MARK: From any thread

        func start() {
            // The lock is held until `thread` is set, so that the first job on the thread finds it set.
            thread.withLock { thread in
                let started = SystemThread(named: "apus-postgres") { self.run() }
                started.detach()
                thread = started
            }
        }

        /// Ends the thread when no work and no descriptor remains.
        func stop() {
            let mustWake = inbox.withLock { inbox in
                inbox.isStopped = true
                return inbox.takeWaiting()
            }
            if mustWake { wake() }
        }

        func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

        /// Runs `body` on the thread, after earlier work.
        func perform(_ body: @escaping @Sendable () -> Void) { add(.call(body)) }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

        func checkIsolated() { precondition(isOnThread, "this runs on PostgreSQL's thread only") }

        var isOnThread: Bool {
            thread.withLock { $0?.isCurrent ?? false }
        }

        fileprivate func add(_ work: Work) {
            let mustWake = inbox.withLock { inbox in
                inbox.work.append(work)
                return inbox.takeWaiting()
            }
            if mustWake { wake() }
        }

        private func wake() {
            var byte: UInt8 = 1
            // If the pipe is full, the thread wakes anyway.
            _ = write(wakeWriter, &byte, 1)
        }

        // MARK: On the thread

        func add(_ source: PollSource) { sources[ObjectIdentifier(source)] = source }
        func remove(_ source: PollSource) { sources[ObjectIdentifier(source)] = nil }

        /// Runs `body` after the current work and before the thread waits again, so that the output of all that work is
        /// sent in one system call.
        func atEndOfTurn(_ body: @escaping () -> Void) { ends.append(body) }

        private func run() {
            var polled: [pollfd] = []
            var order: [PollSource] = []
            while true {
                runWork()
                while !ends.isEmpty {
                    let calls = ends
                    ends = []
                    for call in calls { call() }
                }
                guard let mayWait = prepareToWait() else { return }
                polled.removeAll(keepingCapacity: true)
                order.removeAll(keepingCapacity: true)
                polled.append(pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0))
                for source in sources.values where source.descriptor >= 0 && !source.interest.isEmpty {
                    polled.append(pollfd(fd: source.descriptor, events: source.interest.pollEvents, revents: 0))
                    order.append(source)
                }
                polls += 1
                let count = poll(&polled, nfds_t(polled.count), mayWait ? -1 : 0)
                inbox.withLock { $0.isWaiting = false }
                guard count > 0 else { continue }
                if polled[0].revents != 0 { drainPipe() }
                // The sockets are handled before the work, so that after a pause of the whole process, data that has
                // arrived takes precedence over an expired deadline.
                for (index, source) in order.enumerated() where polled[index + 1].revents != 0 {
                    // A source that was removed in the meantime is skipped.
                    guard sources[ObjectIdentifier(source)] === source else { continue }
                    source.ready(Readiness(pollEvents: polled[index + 1].revents))
                }
            }
        }

        /// Returns whether the thread may wait; `nil` if it must end.
        private func prepareToWait() -> Bool? {
            let hasSources = !sources.isEmpty
            return inbox.withLock { inbox in
                if !inbox.work.isEmpty { return false }
                if inbox.isStopped, !hasSources { return nil }
                inbox.isWaiting = true
                return true
            }
        }

        private func runWork() {
            let work = inbox.withLock { inbox in
                let work = inbox.work
                inbox.work = []
                return work
            }
            for item in work {
                switch item {
                case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
                case .task(let job, let executor): job.runSynchronously(on: executor)
                case .call(let body): body()
                }
            }
        }

        private func drainPipe() {
            var bytes: (UInt64, UInt64) = (0, 0)
            _ = read(wakeReader, &bytes, 16)
        }
    }

    /// The executor of tasks on the loop's thread; the work of these tasks delays the connections.
    final class PollTasks: TaskExecutor {
        private let loop: PollLoop

        init(_ loop: PollLoop) { self.loop = loop }

        func enqueue(_ job: consuming ExecutorJob) {
            loop.add(.task(UnownedJob(job), asUnownedTaskExecutor()))
        }
    }

    extension Readiness {
        fileprivate var pollEvents: Int16 {
            (contains(.readable) ? Int16(POLLIN) : 0) | (contains(.writable) ? Int16(POLLOUT) : 0)
        }

        fileprivate init(pollEvents: Int16) {
            self = []
            // libpq reports errors and hang-ups when it reads or writes.
            if pollEvents & Int16(POLLIN | POLLERR | POLLHUP | POLLNVAL) != 0 { insert(.readable) }
            if pollEvents & Int16(POLLOUT | POLLERR | POLLHUP | POLLNVAL) != 0 { insert(.writable) }
        }
    }
#endif
