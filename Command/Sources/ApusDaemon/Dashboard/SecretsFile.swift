import ApusClient
import ApusJSON
import ApusSQLite
import ApusTimers
import Logging
import LoopbackWeb
import PathTrust
import PlatformC

/// A file that only its owner can read, and that keeps the secrets of the HTTP listener for the next daemon of the
/// home.
struct SecretsFile {
    let path: String
    let random: any RandomSource
    let logger: Logger

    private struct Content: Codable {
        var cookie: String
        var token: String
    }

    /// Returns the stored secrets, or new ones.
    ///
    /// A file that another user could have read or written is replaced.
    ///
    /// - Throws: `DaemonError` with `unavailable` if new secrets cannot be written.
    func secrets() throws -> GuardRules.Secrets {
        switch reading() {
        case .kept(let secrets):
            return secrets
        case .none:
            return try make()
        case .unusable(let why):
            logger.warning(
                "the secrets of the HTTP listener were replaced; open the new address of the dashboard",
                metadata: ["file": "\(path)", "why": "\(why)"])
            guard unlink(path) == 0 || errno == ENOENT else { throw failure("removed") }
            return try make()
        }
    }

    private enum Reading {
        case kept(GuardRules.Secrets)
        case none
        case unusable(String)
    }

    private func reading() -> Reading {
        let file: Int32
        do throws(TrustedPath.Failure) { file = try TrustedPath.open(path, O_RDONLY, as: .secretFile) } catch {
            return error.code == ENOENT ? .none : .unusable(error.description)
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = Self.untilDone { bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) } }
        guard count >= 0, let content = try? LenientJSON.decode(Content.self, from: bytes.prefix(count)),
            Self.isSecret(content.token), Self.isSecret(content.cookie)
        else { return .unusable("it does not hold a token and a cookie") }
        return .kept(.init(token: content.token, cookie: content.cookie))
    }

    private func make() throws -> GuardRules.Secrets {
        let content = Content(cookie: secret(), token: secret())
        let bytes = try JSONText.bytes(of: content) + Array("\n".utf8)
        // The home's lock makes this the only daemon of the home. If the file exists now, another program has made it,
        // which is an error.
        let file: Int32
        do throws(TrustedPath.Failure) { file = try TrustedPath.open(path, O_WRONLY | O_CREAT | O_EXCL) } catch {
            throw DaemonError(.unavailable, error.description)
        }
        defer { close(file) }
        let count = Self.untilDone { bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }
        guard count == bytes.count, fsync(file) == 0 else { throw failure("written") }
        return .init(token: content.token, cookie: content.cookie)
    }

    /// Returns 256 random bits as hexadecimal digits.
    private func secret() -> String {
        (0..<4).map { _ in
            let digits = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private static func isSecret(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    private static func untilDone(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            guard count < 0, errno == EINTR else { return count }
        }
    }

    private func failure(_ done: String) -> DaemonError {
        DaemonError(.unavailable, "\(path) cannot be \(done): \(String(cString: strerror(errno)))")
    }
}
