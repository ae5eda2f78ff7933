import ApusClient
import Dispatch
import PlatformC

/// The unit of `apus install` in the user's systemd.
package struct UserService {
    /// The unit's name.
    package static let unit = "apus.service"

    private let environment: [String: String]

    /// Creates the service, or returns `nil` if `APUS_HOME` is set.
    ///
    /// The unit is for the default home only. With another home, no file outside of that home is used.
    package init?(environment: [String: String]) {
        guard environment["APUS_HOME", default: ""].isEmpty else { return nil }
        self.environment = environment
    }

    /// Starts the unit if it is enabled.
    ///
    /// - Returns: whether systemd reports that the daemon is ready; `false` if there is no systemd, no manager of this
    ///   user, or no enabled unit.
    func startIfEnabled() async -> Bool {
        guard await isEnabled() else { return false }
        return await systemctl("start", Self.unit)
    }

    /// Returns whether the unit is enabled.
    package func isEnabled() async -> Bool { await systemctl("is-enabled", "--quiet", Self.unit) }

    /// Runs systemctl, and returns whether it has succeeded.
    ///
    /// There are two reasons not to use Foundation's `Process`. It waits until the child and all its descendants have
    /// closed a file that they inherit from `Process`. It also lets the child inherit the blocked signals of the
    /// calling thread, and threads of Dispatch block signals.
    private func systemctl(_ arguments: String...) async -> Bool {
        #if os(Linux)
            guard let process = Self.spawn(["systemctl", "--user"] + arguments, environment) else { return false }
            return await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    var status: Int32 = 0
                    while waitpid(process, &status, 0) < 0, errno == EINTR {}
                    continuation.resume(returning: status == 0)
                }
            }
        #else
            return false
        #endif
    }

    #if os(Linux)
        /// Starts a program in `PATH` with /dev/null as its input and output.
        private static func spawn(_ arguments: [String], _ environment: [String: String]) -> pid_t? {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var mask = sigset_t()
            sigemptyset(&mask)
            posix_spawnattr_setsigmask(&attributes, &mask)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
            var words = arguments.map { strdup($0) } + [nil]
            var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for text in words + variables { free(text) } }
            var process = pid_t()
            return posix_spawnp(&process, arguments[0], &actions, &attributes, &words, &variables) == 0 ? process : nil
        }
    #endif
}
