import ApusTimers

/// The stored record of a host's background jobs: the pending requests, and the spacings of refreshes.
///
/// It contains no continued work, because the user began that work in an earlier process, and can begin it again.
struct HostBackgroundRecord: Codable, Sendable, Hashable {
    struct Request: Codable, Sendable, Hashable {
        var request: BackgroundJobRequest

        private enum Kind: String, Codable { case refresh, processing }
        private enum Key: String, CodingKey {
            case identifier, kind, requiresNetwork, requiresExternalPower, earliestBegin
        }

        /// Creates the stored form of a request; `nil` for continued work.
        init?(_ request: BackgroundJobRequest) {
            if case .continued = request.kind { return nil }
            self.request = request
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let kind: BackgroundJobRequest.Kind =
                switch try container.decode(Kind.self, forKey: .kind) {
                case .refresh: .refresh
                case .processing:
                    .processing(
                        requiresNetwork: try container.decode(Bool.self, forKey: .requiresNetwork),
                        requiresExternalPower: try container.decode(Bool.self, forKey: .requiresExternalPower))
                }
            let earliest = try container.decodeIfPresent(UInt64.self, forKey: .earliestBegin)
            request = BackgroundJobRequest(
                try container.decode(String.self, forKey: .identifier), kind,
                earliestBegin: earliest.map(WallInstant.init(nanoseconds:)))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(request.identifier, forKey: .identifier)
            switch request.kind {
            case .refresh:
                try container.encode(Kind.refresh, forKey: .kind)
            case .processing(let requiresNetwork, let requiresExternalPower):
                try container.encode(Kind.processing, forKey: .kind)
                try container.encode(requiresNetwork, forKey: .requiresNetwork)
                try container.encode(requiresExternalPower, forKey: .requiresExternalPower)
            case .continued:
                throw EncodingError.invalidValue(
                    request,
                    EncodingError.Context(
                        codingPath: encoder.codingPath, debugDescription: "continued work is not kept"))
            }
            try container.encodeIfPresent(request.earliestBegin?.nanoseconds, forKey: .earliestBegin)
        }
    }

    /// The instant before which no other refresh of an identifier begins.
    struct Spacing: Codable, Sendable, Hashable {
        var identifier: String
        var until: StoredInstant

        private enum Key: String, CodingKey { case identifier, wall, continuous, boot }

        init(identifier: String, until: StoredInstant) {
            self.identifier = identifier
            self.until = until
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            identifier = try container.decode(String.self, forKey: .identifier)
            until = StoredInstant(
                wall: try container.decode(WallInstant.self, forKey: .wall),
                boot: try container.decodeIfPresent(String.self, forKey: .boot),
                continuous: try container.decode(ContinuousInstant.self, forKey: .continuous))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(identifier, forKey: .identifier)
            try container.encode(until.wall, forKey: .wall)
            try container.encode(until.continuous, forKey: .continuous)
            try container.encodeIfPresent(until.boot, forKey: .boot)
        }
    }

    /// The requests in the order of their submission.
    var requests: [Request]
    /// The spacings in the order of their identifiers, so that records with equal contents are equal.
    var spacings: [Spacing]

    var isEmpty: Bool { requests.isEmpty && spacings.isEmpty }

    private enum Key: String, CodingKey { case version, requests, spacings }

    init(requests: [Request], spacings: [Spacing]) {
        self.requests = requests
        self.spacings = spacings
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        try RecordCoding.checkVersion(container, .version, of: "background jobs")
        requests = try container.decode([Request].self, forKey: .requests)
        spacings = try container.decode([Spacing].self, forKey: .spacings)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(RecordCoding.version, forKey: .version)
        try container.encode(requests, forKey: .requests)
        try container.encode(spacings, forKey: .spacings)
    }
}
