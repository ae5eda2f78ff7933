public import ApusBackground
import ApusTimers
public import Logging

/// Positions from gpsd (gpsd.io), the service for satellite receivers on Linux: on Debian the package `gpsd`.
///
/// Updates begin with `LocationUpdate.noFix`, because the position is unknown, and each position that gpsd reports
/// follows, with gpsd's instant. When no receiver knows where it is, or gpsd is gone, `noFix` comes once. A gpsd that
/// is not there is no error: it is looked for again after a second, then after twice the pause each time, up to a
/// minute, and the log says so once. Between its reports nothing runs.
///
/// Linux has no prompt: a process that may connect to gpsd gets positions, so the machine's administrator decides. That
/// is `always`; another authorization is for programs that have a setting of their own.
///
/// Updates that were started with `inBackground` hold a background task of the host: a ``LinuxHost`` that is asked to
/// stop lets them continue until its background tasks expire, and then they end. All members may be used from any
/// thread.
public final class GPSDLocationSource: LocationSource {
    /// How many updates wait for a consumer that does not keep up; of more, the newest are kept.
    private static let waitingLimit = 100

    /// What the program was given. It does not change.
    public let authorization: LocationAuthorization

    private let host: any BackgroundHost
    private let settings: GPSDSession.Settings
    private let logger: Logger
    private let session = Locked<GPSDSession?>(nil)

    init(
        host: any BackgroundHost, settings: GPSDSession.Settings, authorization: LocationAuthorization = .always,
        logger: Logger
    ) {
        self.host = host
        self.settings = settings
        self.authorization = authorization
        self.logger = logger
    }

    /// A source without updates. Connects to nothing.
    ///
    /// - Parameters:
    ///   - host: Grants the time for updates in the background; its engine is used.
    ///   - address: The machine on which gpsd runs: an address, or a name.
    ///   - port: gpsd's port there.
    ///   - authorization: What the program may know.
    ///   - logger: Where it is reported that gpsd cannot be reached, or talks nonsense.
    public convenience init(
        host: any BackgroundHost, address: String = "127.0.0.1", port: UInt16 = 2947,
        authorization: LocationAuthorization = .always, logger: Logger = Logger(label: "apus.linux.location")
    ) {
        self.init(
            host: host, settings: GPSDSession.Settings(host: address, port: port), authorization: authorization,
            logger: logger)
    }

    deinit { stop() }

    /// No user to ask: the ``authorization``, whatever is wished.
    public func requestAuthorization(_ wish: LocationAuthorization) async -> LocationAuthorization { authorization }

    /// Starts updates; the first one is there at once. They end with ``stop()``, with the sequence, with another start,
    /// with the source, and, if `inBackground`, when the host's background tasks expire.
    ///
    /// - Throws: `BackgroundError` with the code `modeUnavailable` when the authorization is `denied` or
    ///   `notDetermined`, or `whenInUse` in a process that was asked to stop; and when the host has no more time to
    ///   give. Not when gpsd cannot be reached.
    public func start(inBackground: Bool) throws(BackgroundError) -> AsyncStream<LocationUpdate> {
        switch authorization {
        case .always: break
        case .whenInUse:
            guard host.phase == .active || host.phase == .inactive else {
                throw BackgroundError(
                    .modeUnavailable,
                    "with the authorization whenInUse, updates are started before the process is asked to stop")
            }
        case .notDetermined, .denied:
            throw BackgroundError(
                .modeUnavailable,
                "the authorization is \(authorization.rawValue); give the location source another one when it is made")
        }
        let claim = try inBackground ? backgroundTaskTime() : nil
        let (stream, continuation) = AsyncStream.makeStream(
            of: LocationUpdate.self, bufferingPolicy: .bufferingNewest(Self.waitingLimit))
        let new = GPSDSession(
            settings, engine: host.engine, logger: logger, claim: claim, continuation: continuation)
        continuation.onTermination = { [weak new, weak self] _ in
            new?.end()
            self?.forget(new)
        }
        replaceSession(by: new)
        new.start()
        return stream
    }

    /// Ends the updates.
    public func stop() { replaceSession(by: nil) }

    private func backgroundTaskTime() throws(BackgroundError) -> BackgroundTask {
        let request = BackgroundTaskRequest(name: "location") { [weak self] in self?.stop() }
        do {
            return try host.beginBackgroundTask(request)
        } catch {
            throw BackgroundError(
                .modeUnavailable, "the process is about to end; no updates come any more", cause: error)
        }
    }

    private func replaceSession(by new: GPSDSession?) {
        let old = session.withLock { session in
            defer { session = new }
            return session
        }
        // Outside the lock: this ends the sequence, which takes it.
        old?.end()
    }

    private func forget(_ ended: GPSDSession?) {
        let old = session.withLock { session in session === ended ? session.take() : nil }
        withExtendedLifetime(old) {}
    }
}
