#if Postgres
    import Dispatch
    import PlatformC

    /// Resolves host names on another thread, because libpq would block the connections' thread.
    enum HostAddresses {
        /// Resolves the hosts of a configuration, and calls `body` on another thread with a configuration that has
        /// their addresses.
        ///
        /// It waits as long as the system's resolver does. A configuration without host names is passed to `body`
        /// immediately.
        static func resolve(
            _ configuration: PostgresConfiguration,
            then body: @escaping @Sendable (Result<PostgresConfiguration, PostgresError>) -> Void
        ) {
            guard configuration.namesHosts else { return body(.success(configuration)) }
            // A serial queue gets a thread even if all threads of the global queues are blocked.
            DispatchQueue(label: "apus.postgres.names").async {
                body(Result { () throws(PostgresError) in try configuration.resolved(by: lookUp) })
            }
        }

        /// Returns the numeric addresses of a host, in the order in which they should be tried; none if the host has no
        /// address.
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
        /// Whether there are hosts to resolve: `hostaddr` is not given, and not all hosts are local sockets.
        fileprivate var namesHosts: Bool {
            guard self["hostaddr"] == nil, let hosts = self["host"] else { return false }
            return Self.list(hosts).contains { Self.isName($0) }
        }

        private static func isName(_ host: String) -> Bool {
            guard let first = host.unicodeScalars.first else { return false }
            return first != "/" && first != "@"
        }

        /// Returns the configuration with each address as a host, and without the hosts that have no address.
        func resolved(by lookUp: (String) -> [String]) throws(PostgresError) -> PostgresConfiguration {
            let hosts = Self.list(self["host"] ?? "")
            let ports = Self.list(self["port"] ?? "")
            // One port applies to all hosts; otherwise each host has its own. With any other number of ports, the
            // configuration stays unchanged, and libpq refuses it.
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
