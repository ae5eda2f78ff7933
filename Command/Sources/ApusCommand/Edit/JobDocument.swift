import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A job as a text that a user changes in an editor, in the form that `apus export` writes.
struct JobDocument {
    private let original: WireExportedJob

    /// Creates the document of a job.
    ///
    /// - Throws: `ValidationError` for a job that has ended.
    init(_ job: WireJob) throws {
        guard ["scheduled", "suspended"].contains(job.state) else {
            throw ValidationError("\(job.id): the job is \(job.state) and cannot be changed; submit it again")
        }
        var exported = WireExportedJob(job)
        exported.record = nil
        original = exported
    }

    /// The change that a user has made to the text.
    struct Edited {
        var change: WireJobChange
        /// Writes the text again and prints its path; called if the change is refused.
        var keep: () -> Void
    }

    /// Opens the editor, and waits until the editor has ended.
    ///
    /// - Returns: the change; `nil` if there is none.
    /// - Throws: `DaemonError` if there is no editor, or if the editor fails; `ValidationError` for a text that cannot
    ///   be read.
    func edited() async throws -> Edited? {
        let suffix = WireSubmission.newIdempotencyKey(SystemRandom())
        let folder = FileManager.default.temporaryDirectory.path + "/apus-edit-" + suffix
        // Other users must not see the variables of the commands.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let path = folder + "/job.json"
        let text = try Terminal.jsonText(ExportedJobs(jobs: [original]))
        try Data(text.utf8).write(to: URL(filePath: path))
        func remove() { try? FileManager.default.removeItem(atPath: folder) }
        func keep() { Terminal.note("apus: nothing was changed; the text is kept in \(path)") }
        do { try Self.open(path) } catch {
            remove()
            throw error
        }
        do {
            let change = try change(to: try InputFile(path).contents())
            guard let change, !change.isEmpty else {
                remove()
                return nil
            }
            // The text is removed at once, and written again if the daemon refuses the change.
            let edited = try InputFile(path).contents()
            remove()
            return Edited(change: change) {
                try? FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                try? edited.write(to: URL(filePath: path))
                keep()
            }
        } catch {
            keep()
            throw error
        }
    }

    /// Opens the editor; as in other programs, its name may be any line for the shell, such as `code --wait`.
    private static func open(_ path: String) throws {
        let environment = ProcessEnvironment.current.variables
        let editor = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        let status = ForegroundProcess.run(line: editor + " \"$1\"", path)
        guard status == 0 else {
            throw DaemonError(
                .unavailable,
                "the editor \"\(editor)\" exited with status \(status), and nothing was changed; name another editor in VISUAL or EDITOR"
            )
        }
    }

    /// Returns the change that an edited text makes; `nil` if it makes none.
    ///
    /// - Throws: `ValidationError` if the text is not the document of one job, or changes a field that cannot be
    ///   changed.
    func change(to data: Data) throws -> WireJobChange? {
        let document: ExportedJobs
        do {
            document = try StrictJSON.decode(ExportedJobs.self, from: data)
        } catch let error as DaemonError {
            throw ValidationError("the edited text is not in the form that apus export writes: \(error.message)")
        }
        guard document.version == ExportedJobs.currentVersion, document.jobs.count == 1 else {
            throw ValidationError("version and jobs: leave the version and the number of jobs as they are")
        }
        let (old, new) = (original.submission, document.jobs[0].submission)
        guard document.jobs[0].record == nil else {
            throw ValidationError("record: cannot be changed by apus edit; leave it out")
        }
        guard document.jobs[0].suspended == original.suspended else {
            throw ValidationError("suspended: cannot be changed by apus edit; use apus suspend and apus resume")
        }
        guard (new.kind, new.idempotencyKey, new.conflict) == (old.kind, old.idempotencyKey, old.conflict) else {
            throw ValidationError("kind, idempotencyKey and conflict: cannot be changed; leave them as they are")
        }
        return WireJobChange(from: old, to: new)
    }
}

extension WireJobChange {
    /// Creates the change that turns one submission into another.
    init(from old: WireSubmission, to new: WireSubmission) {
        let (oldLabels, newLabels) = (old.labels ?? [:], new.labels ?? [:])
        var labels: [String: FieldChange<String>] = [:]
        for key in Set(oldLabels.keys).union(newLabels.keys) where oldLabels[key] != newLabels[key] {
            labels[key] = FieldChange(from: oldLabels[key], to: newLabels[key])
        }
        let (before, after) = (old.policies ?? WirePolicies(), new.policies ?? WirePolicies())
        let policies = Policies(
            tolerance: FieldChange(from: before.tolerance, to: after.tolerance),
            missed: FieldChange(from: before.missed, to: after.missed),
            overlap: FieldChange(from: before.overlap, to: after.overlap),
            retry: FieldChange(from: before.retry, to: after.retry),
            timeout: FieldChange(from: before.timeout, to: after.timeout),
            expiry: FieldChange(from: before.expiry, to: after.expiry),
            when: FieldChange(from: before.when, to: after.when),
            retention: FieldChange(from: before.retention, to: after.retention))
        self.init(
            name: FieldChange(from: old.name, to: new.name), trigger: old.trigger == new.trigger ? nil : new.trigger,
            action: old.action == new.action ? nil : new.action, policies: policies == Policies() ? nil : policies,
            labels: labels.isEmpty ? nil : labels, queue: FieldChange(from: old.queue, to: new.queue),
            priority: FieldChange(from: old.priority, to: new.priority),
            fairnessKey: FieldChange(from: old.fairnessKey, to: new.fairnessKey),
            unique: FieldChange(from: old.unique, to: new.unique))
    }
}

extension FieldChange {
    /// Creates the change that turns one value into another.
    init(from old: Value?, to new: Value?) {
        self = old == new ? .unchanged : new.map { .set($0) } ?? .removed
    }
}

/// A program that uses the terminal while this one waits for it, such as an editor.
enum ForegroundProcess {
    /// Runs a line of the shell, with arguments as `$1` and so on, and waits for its end.
    ///
    /// Foundation's `Process` is not used, because it starts its child with signals blocked, and an editor needs them.
    /// Until the end, Ctrl-C is handled by the editor only.
    ///
    /// - Returns: the exit code, 128 plus the signal's number if a signal ended the program, or 127 if there is no
    ///   shell.
    static func run(line: String, _ arguments: String...) -> Int32 {
        let former = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer { for (number, handler) in former { signal(number, handler) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (mask, defaults) = (sigset_t(), sigset_t())
        sigemptyset(&mask)
        sigemptyset(&defaults)
        for (number, _) in former { sigaddset(&defaults, number) }
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = (["/bin/sh", "-c", line, "sh"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawn(&process, "/bin/sh", nil, &attributes, &words, environ) == 0 else { return 127 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let number = status & 0x7F
        return number == 0 ? (status >> 8) & 0xFF : 128 + number
    }
}
