/// The calls about the phone's position, on the main thread. All methods are optional, as in the framework.
@preconcurrency
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// Positions, the oldest first.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// There is no position, and why.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// What the user allows is known, or has changed.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /// The phone stands still, so the updates were paused; the app resumes them.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    /// Does nothing.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
}
