#if Postgres
    import Dispatch
    import PlatformC

    /// Finds the addresses of hosts apart from the connections' thread: libpq would wait for them on it.
    enum HostAddresses {
        /// Finds the addresses of a configuration's hosts, and calls `body` from another thread with a configuration
        /// that has them. Waits as long as the system's resolver does.
        static func resolve(
            _ configuration: PostgresConfiguration,
            then body: @escaping @Sendable (Result<PostgresConfiguration, PostgresError>) -> Void
        ) {
            guard configuration.namesHosts else { return body(.success(configuration)) }
            // A serial queue gets a thread even if all those of the global queues are blocked.
            DispatchQueue(label: "apus.postgres.names").async {
                body(Result { () throws(PostgresError) in try configuration.resolved(by: lookUp) })
            }
        }

        /// The addresses of a host as numbers, in the order in which they are to be tried; none if it has none.
        static func lookUp(_ host: String) -> [String] {
            var hints = addrinfo()
            hints.ai_socktype = streamSocket
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
            defer { freeaddrinfo(list) }
            var addresses: [String] = []
            var next = list
            while let entry = next {
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                if getnameinfo(
                    entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
                    NI_NUMERICHOST) == 0
                {
                    addresses.append(text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
                }
                next = entry.pointee.ai_next
            }
            return addresses
        }
    }

    extension PostgresConfiguration {
        /// Whether there are names to be resolved: not with addresses, and not for sockets of this machine.
        fileprivate var namesHosts: Bool {
            guard self["hostaddr"] == nil, let hosts = self["host"] else { return false }
            return Self.list(hosts).contains { Self.isName($0) }
        }

        private static func isName(_ host: String) -> Bool {
            guard let first = host.unicodeScalars.first else { return false }
            return first != "/" && first != "@"
        }

        /// The configuration with the addresses of its hosts, each address as a host of its own, and without the hosts
        /// that have none.
        func resolved(by lookUp: (String) -> [String]) throws(PostgresError) -> PostgresConfiguration {
            let hosts = Self.list(self["host"] ?? "")
            let ports = Self.list(self["port"] ?? "")
            // One port is every host's; any other number of them is libpq's to refuse.
            guard ports.count == 1 || ports.count == hosts.count else { return self }
            var entries: [(host: String, address: String, port: String)] = []
            for (index, host) in hosts.enumerated() {
                let port = ports.count == 1 ? ports[0] : ports[index]
                let addresses = Self.isName(host) ? lookUp(host) : [""]
                for address in addresses { entries.append((host, address, port)) }
            }
            guard !entries.isEmpty else {
                throw PostgresError(
                    code: .unreachable,
                    message:
                        "no address is known for the host \(hosts.joined(separator: ",")); check the name and the network"
                )
            }
            var result = self
            result.set("host", to: entries.map(\.host).joined(separator: ","))
            result.set("hostaddr", to: entries.map(\.address).joined(separator: ","))
            if ports.count > 1 { result.set("port", to: entries.map(\.port).joined(separator: ",")) }
            return result
        }
    }
#endif
