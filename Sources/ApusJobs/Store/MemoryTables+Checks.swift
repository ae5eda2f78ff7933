/// Checks that refuse a change of a job because of the other jobs.
extension MemoryTables {
    func checkID(of job: Job) throws(JobError) {
        guard !job.state.isFinal, let other = find(job.id)?.job, !other.state.isFinal else { return }
        throw JobError(code: .conflict, message: "\(job.id): the identifier is taken")
    }

    func checkKey(of job: Job) throws(JobError) {
        guard let key = job.request.idempotencyKey, idempotencyKeys[key] != nil else { return }
        throw JobError(code: .conflict, message: "\(job.id): the idempotency key is taken")
    }

    func checkName(of job: Job) throws(JobError) {
        let isTaken = rows.values.contains { $0.job.request.name == job.request.name && !$0.job.state.isFinal }
        if isTaken, let name = job.request.name { throw .nameIsTaken(name) }
    }

    func checkLabel(_ known: LabelledJobs) throws(JobError) {
        let isOther = rows.values.contains { row in
            row.job.request.labels[known.label] == known.value && !row.job.state.isFinal
                && !known.keys.contains(row.job.key)
        }
        if isOther { throw .isLabelled(known) }
    }

    func checkPayload(of job: Job) throws(JobError) {
        guard job.request.uniqueness.countsPayload, !job.state.isFinal,
            let other = find(kind: job.request.kind, payload: job.request.payload, after: nil)?.job,
            other.key != job.key || job.key == 0
        else { return }
        throw JobError(code: .conflict, message: "\(job.id): job \(other.id) has the same kind and payload")
    }
}
