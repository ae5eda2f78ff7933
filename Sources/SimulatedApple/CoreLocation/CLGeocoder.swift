import ApusBackground
import SimulatedAppleCore

/// The service that translates positions and addresses, which the simulated phone does not reach.
///
/// It can be used on any thread.
///
/// Source: Apple, documentation/corelocation/clgeocoder
open class CLGeocoder: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: it has no state.

    private let host = SimulatedPhone.process.host

    /// Whether a request is in progress; always false, because each request fails at once.
    open var isGeocoding: Bool { false }

    /// Fails with `CLError.network`, and a warning in the device's log.
    open func reverseGeocodeLocation(
        _ location: CLLocation, completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        warn()
        host.mainLoop.run { completionHandler(nil, CLError(.network)) }
    }

    /// Fails with `CLError.network`, and a warning in the device's log.
    open func geocodeAddressString(
        _ addressString: String, completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        warn()
        host.mainLoop.run { completionHandler(nil, CLError(.network)) }
    }

    /// Fails, with a warning in the device's log.
    ///
    /// - Returns: Nothing.
    /// - Throws: `CLError.network`.
    open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
        warn()
        throw CLError(.network)
    }

    /// Fails, with a warning in the device's log.
    ///
    /// - Returns: Nothing.
    /// - Throws: `CLError.network`.
    open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
        warn()
        throw CLError(.network)
    }

    /// Does nothing.
    open func cancelGeocode() {}

    private func warn() { host.warn("CLGeocoder has no addresses here, and fails as without a network") }
}

/// The address of a position; the simulation has no addresses.
open class CLPlacemark: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: it has no state.

    /// The name of the place: none.
    open var name: String? { nil }
    /// The street: none.
    open var thoroughfare: String? { nil }
    /// The house number: none.
    open var subThoroughfare: String? { nil }
    /// The town: none.
    open var locality: String? { nil }
    /// The part of the town: none.
    open var subLocality: String? { nil }
    /// The state or province: none.
    open var administrativeArea: String? { nil }
    /// The postal code: none.
    open var postalCode: String? { nil }
    /// The country: none.
    open var country: String? { nil }
    /// The code of the country: none.
    open var isoCountryCode: String? { nil }
    /// The position: none.
    open var location: CLLocation? { nil }
}
