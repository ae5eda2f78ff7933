import Testing

@testable import ApusDevice

@Suite("Location routes")
struct LocationRouteTests {
    typealias Place = LocationRoute.Place
    let home = Place(latitude: 52, longitude: 13)
    let work = Place(latitude: 52.1, longitude: 13.1)

    @Test("steps follow each other; before the first step, and after one without a place, there is no fix")
    func steps() {
        let route = LocationRoute.steps([
            (after: .seconds(10), place: home), (after: .seconds(5), place: nil), (after: .seconds(-3), place: work),
        ])
        #expect(route.reading(at: .seconds(9)).place == nil)
        #expect(route.reading(at: .seconds(10)).place == home)
        #expect(route.reading(at: .seconds(14)).place == home)
        #expect(route.reading(at: .seconds(15)).place == work)
        #expect(route.nextReading(after: .zero) == .seconds(10))
        #expect(route.nextReading(after: .seconds(15)) == nil)
        #expect(route.readings(after: .seconds(10), upTo: .seconds(20), limit: 9).map(\.place) == [nil, work])
        #expect(route.readings(after: .seconds(10), upTo: .seconds(20), limit: 1).map(\.place) == [work])
    }

    @Test("a step to another place is a move; a lost fix is not")
    func moves() {
        let route = LocationRoute.steps([
            (after: .zero, place: home), (after: .seconds(10), place: work), (after: .seconds(10), place: work),
            (after: .seconds(10), place: nil), (after: .seconds(10), place: Place(latitude: 52.1, longitude: 13.1)),
        ])
        #expect(route.lastMove(upTo: .seconds(9)) == .zero)
        #expect(route.lastMove(upTo: .seconds(60)) == .seconds(10))
    }

    @Test("a route of constant velocity is read at its interval, stops at a pole, and crosses the date line")
    func velocity() {
        let route = LocationRoute.moving(
            from: Place(latitude: 89, longitude: 179), north: 0.25, east: 0.5, every: .seconds(2))
        #expect(route.nextReading(after: .zero) == .seconds(2))
        #expect(route.nextReading(after: .seconds(3)) == .seconds(4))
        let readings = route.readings(after: .zero, upTo: .seconds(9), limit: 100)
        #expect(readings.map(\.at) == [2, 4, 6, 8].map { .seconds($0) })
        #expect(readings.compactMap(\.place?.latitude) == [89.5, 90, 90, 90])
        #expect(readings.compactMap(\.place?.longitude) == [180, -179, -178, -177])
        #expect(route.readings(after: .zero, upTo: .seconds(9), limit: 2).map(\.at) == [.seconds(6), .seconds(8)])
        #expect(route.lastMove(upTo: .seconds(9)) == nil)
        let still = LocationRoute.moving(from: home, north: 0, east: 0)
        #expect(still.lastMove(upTo: .seconds(9)) == .zero)
    }
}
