import ApusBackground
import ApusDevice
import ApusTimers
import Foundation

/// The answers to the calls of an app's process.
@MainActor
extension AppProcess {
    /// Carries out a call, and returns the reply as JSON.
    func answer(_ call: AppCall) -> Data {
        switch call {
        case .status: json(status)
        case .note(let text): done(host.note(text))
        case .warn(let text): done(host.warn(text))
        case .sound(let line): done(host.logSound(line))
        case .fault(let fault): done(host.fault(fault))
        case .work(let nanoseconds): done(host.work(for: .nanoseconds(nanoseconds)))
        case .timeRemaining: json(host.backgroundTimeRemaining.map(\.wholeNanoseconds))
        case .settings: json(settings())
        case .keepScreenOn(let isOn): done(keepScreenOn(isOn))
        case .beginBackgroundTask(let name, let token):
            json(
                host.beginBackgroundTask(name: name) { [weak self] in
                    self?.deliver(.backgroundTaskExpires(token: token))
                }.number)
        case .beginActivity(let name, let token):
            json(
                host.beginActivity(name) { [weak self] in self?.deliver(.backgroundTaskExpires(token: token)) }
                    .map { (id: BackgroundTaskID) in id.number })
        case .endBackgroundTask(let number):
            done(host.endBackgroundTask(BackgroundTaskID(number: number, device: host.deviceNumber)))
        case .expirationHandlerReturned: done(host.expirationHandlerReturned())
        case .record(let name): json(records[name])
        case .keepRecord(let name, let data): done(keep(data, as: name))
        case .groupContainer(let group): json(containers.group(group, of: host.manifest))
        case .audio(let call): answer(call)
        case .location(let call): answer(call)
        case .notifications(let call): answer(call)
        case .service(let name, let request): answer(request, by: service(name))
        case .observeService(let name): done(observe(service(name)))
        case .jobs(let call): answer(call)
        case .pushes(let call): answer(call)
        case .transfers(let call): answer(call)
        case .screen(let number, let reply): done(keep(reply, of: number))
        case .place(let addresses): json(place(of: addresses))
        case .crash(let crash): done(keep(crash))
        }
    }

    var status: AppStatus {
        AppStatus(
            phase: host.phase, conditions: host.conditions, bootID: host.bootID, manifest: host.manifest,
            allowsBackgroundGPU: host.allowsBackgroundGPU, launchCause: host.launchCause, isPrewarmed: isPrewarmed)
    }

    private func json(_ value: some Encodable) -> Data { ServiceJSON.encode(value) }

    private func done(_ action: Void?) -> Data { json(Done()) }

    private func answer(_ call: AudioCall) -> Data {
        let audio = host.audio
        return switch call {
        case .state(let player): json(audio.state(of: player))
        case .position(let player): json(audio.position(of: player).wholeNanoseconds)
        case .isSessionActive: json(audio.isSessionActive)
        case .activate(let category): json(audio.activateSession(category))
        case .deactivate: done(audio.deactivateSession())
        case .play(let player): done(audio.startPlaying(player))
        case .pause(let player): done(audio.pausePlaying(player))
        case .advance(let player): done(audio.advance(player))
        case .release(let player): done(audio.release(player))
        case .replaceQueue(let items, let player): done(audio.replaceQueue(items, of: player))
        case .replaceUpcoming(let items, let player): done(audio.replaceUpcoming(items, of: player))
        case .duration(let item): json(audio.duration(of: item).wholeNanoseconds)
        case .seek(let position, let player): done(audio.seek(to: .nanoseconds(position), of: player))
        case .setVoice(let number, let speaks): done(audio.setVoice(number, speaks: speaks))
        }
    }

    private func answer(_ call: LocationCall) -> Data {
        let location = host.location
        return switch call {
        case .authorization: json(location.authorization)
        case .stop(let manager): done(location.stop(manager))
        case .change(let manager, let settings): done(location.change(manager, settings))
        case .ask(let number, let wish):
            done(
                location.askForAuthorization(wish) { [weak self] answer in
                    self?.deliverSoon(.locationAuthorization(number, answer))
                })
        case .begin(let manager, let start, let settings):
            done(
                location.beginUpdates(manager, settings) { [weak self] report in
                    self?.deliver(.location(manager: manager, start: start, report))
                })
        }
    }

    private func answer(_ call: NotificationCall) -> Data {
        switch call {
        case .authorization: json(notifications.authorization)
        case .pending: json(notifications.pending)
        case .delivered: json(notifications.delivered)
        case .badge: json(notifications.badge)
        case .allowsBadge: json(notifications.allowsBadge)
        case .setBadge(let number): done(notifications.setBadge(number))
        case .ask(let number, let provisional, let badge):
            done(
                notifications.askForAuthorization(provisional: provisional, badge: badge) { [weak self] answer in
                    self?.deliverSoon(.notificationAuthorization(number, answer))
                })
        case .setDecides(let decides):
            done(setDecides(decides))
        case .add(let notification): done(notifications.add(notification))
        case .removePending(let identifiers): done(notifications.removePending(identifiers))
        case .removeDelivered(let identifiers): done(notifications.removeDelivered(identifiers))
        case .show(let notification): done(notifications.show(notification))
        }
    }

    private func service(_ name: String) -> any DeviceService {
        guard let service = host.service(named: name) else {
            fatalError("the device has no service \(name); add it before the app is launched")
        }
        return service
    }

    private func answer<Service: DeviceService>(_ request: Data, by service: Service) -> Data {
        json(service.answer(ServiceJSON.decode(Service.Request.self, from: request)))
    }

    private func observe<Service: DeviceService>(_ service: Service) {
        host.observe(Service.self) { [weak self] event in
            self?.deliver(.service("\(Service.self)", ServiceJSON.encode(event)))
        }
    }

    private func answer(_ call: PushCall) -> Data {
        switch call {
        case .isRegistered: json(host.pushes.isRegistered)
        case .setRegistered(let isRegistered): done(register(isRegistered))
        case .complete(let number): done(host.pushes.complete(number))
        }
    }

    private func register(_ isRegistered: Bool) { host.pushes.isRegistered = isRegistered }

    private func answer(_ call: TransferCall) -> Data {
        let transfers = host.transfers
        return switch call {
        case .open(let session, let settings):
            json(transfers.open(session, settings) { [weak self] in self?.deliver(.transfer(session, $0)) })
        case .invalidate(let session, let cancelsTasks):
            done(transfers.invalidate(session, cancelsTasks: cancelsTasks))
        case .add(let request, let session): json(transfers.add(request, to: session))
        case .change(let number, let session, let change): done(transfers.change(number, of: session, change))
        case .records(let session): json(transfers.records(of: session))
        case .record(let number, let session): json(transfers.record(number, of: session))
        case .complete(let notice): done(transfers.complete(notice))
        }
    }

    private func answer(_ call: JobCall) -> Data {
        let jobs = host.jobs
        return switch call {
        case .cancelAll: done(jobs.cancelAllRequests())
        case .pending: json(jobs.pendingRequests())
        case .register(let identifier):
            json(jobs.registerLaunchHandler(identifier) { [weak self] task in self?.begin(task) })
        case .submit(let request): json(refusal { () throws(BackgroundJobError) in try jobs.submitRequest(request) })
        case .cancel(let identifier): done(jobs.cancelRequest(identifier))
        case .simulateLaunch(let identifier): done(jobs.makeDue(identifier))
        case .simulateExpiration(let identifier): done(jobs.expire(identifier))
        case .setExpires(let number, let expires):
            done(setExpires(number, expires))
        case .report(let number, let completed, let total):
            done(task(number)?.report(completed: completed, of: total))
        case .updateTitle(let number, let title, let subtitle):
            done(task(number)?.updateTitle(title, subtitle: subtitle))
        case .complete(let number, let success): done(task(number)?.setCompleted(success: success))
        }
    }

    private func keepScreenOn(_ isOn: Bool) { host.keepsScreenOn = isOn }

    private func keep(_ data: Data?, as name: String) { records[name] = data }

    /// Sets whether the app decides about notifications that arrive while it is in the foreground.
    private func setDecides(_ decides: Bool) {
        guard decides else {
            notifications.onDelivery = nil
            return
        }
        notifications.onDelivery = { [weak self] in self?.deliver(.notificationComes($0)) }
    }

    /// Sets whether the app has an expiration handler for a task.
    private func setExpires(_ number: Int, _ expires: Bool) {
        let handler: @MainActor @Sendable () -> Void = { [weak self] in self?.deliver(.taskExpires(number)) }
        task(number)?.expirationHandler = expires ? handler : nil
    }

    private func refusal(_ submit: () throws(BackgroundJobError) -> Void) -> JobRefusal? {
        do throws(BackgroundJobError) {
            try submit()
            return nil
        } catch { return JobRefusal(code: error.code, message: error.message) }
    }
}
