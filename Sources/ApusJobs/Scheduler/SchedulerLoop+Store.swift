/// What the store has to say.
extension SchedulerLoop {
    func follow(_ signals: AsyncStream<StoreSignal>) -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self] in
            for await signal in signals { self?.receive(signal) }
        }
    }

    /// Subscribers of this scheduler get the events of the store's other schedulers.
    func followOthers(_ events: AsyncStream<JobEvent>) -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self] in
            for await event in events { self?.hub.emit(fromOther: event) }
        }
    }

    /// Handlers are cancelled at once on a cut-off: the store may not answer for that long.
    private func receive(_ signal: StoreSignal) {
        guard signal == .cutOff || signal == .connected else { return post(.signal(signal)) }
        update { machine, now in machine.receive(.signal(signal), at: now) }
        wake()
    }
}
