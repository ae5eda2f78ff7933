import Foundation

func download(_ address: URL, session: URLSession = .shared) async throws -> Data {
    try await session.data(from: address).0
}
