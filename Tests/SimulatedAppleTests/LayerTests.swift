import ApusDevice
import QuartzCore
import SimulatedAppleCore
import Testing
import UIKit

/// Draws a ring for some time, as a tutorial's countdown does, and notes when the animation ends.
private final class RingController: UIViewController, CAAnimationDelegate {
    let ring = CAShapeLayer()
    var journal: Journal?

    override func viewDidLoad() {
        super.viewDidLoad()
        let path = UIBezierPath(
            arcCenter: view.center, radius: 100, startAngle: -.pi / 2, endAngle: 1.5 * .pi, clockwise: true)
        ring.path = path.cgPath
        ring.strokeColor = UIColor.systemRed.cgColor
        ring.fillColor = UIColor.clear.cgColor
        ring.lineWidth = 12
        ring.lineCap = .round
        view.layer.cornerRadius = 8
        view.layer.addSublayer(ring)
    }

    func start(_ seconds: CFTimeInterval, repeats: Float = 0) {
        let animation = CABasicAnimation(keyPath: "strokeEnd")
        animation.fromValue = 0
        animation.toValue = 1
        animation.duration = seconds
        animation.repeatCount = repeats
        animation.delegate = self
        ring.add(animation, forKey: "ring")
    }

    nonisolated func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {
        MainActor.assumeIsolated { journal?.lines.append("finished \(flag)") }
    }
}

private final class RingDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = RingController()
        window?.makeKeyAndVisible()
        return true
    }
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("Layers")
    struct Layers {
        private func run(_ body: (SimulatedDevice, Journal, RingController) throws -> Void) throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: RingDelegate())
                device.launch()
                let root = try #require(UIApplication.shared.keyWindow?.rootViewController as? RingController)
                root.journal = journal
                try body(device, journal, root)
            }
        }

        @Test("an animation ends after its time on the device, all repetitions together")
        func end() throws {
            try run { device, journal, root in
                root.start(2, repeats: 3)
                device.advance(by: .milliseconds(5_999))
                #expect(journal.take().isEmpty)
                #expect(root.ring.animationKeys() == ["ring"])
                device.advance(by: .milliseconds(1))
                #expect(journal.take() == ["finished true"])
                #expect(root.ring.animationKeys() == nil)
                root.start(1, repeats: .infinity)
                device.advance(by: .seconds(60))
                #expect(journal.take().isEmpty)
                root.ring.removeAllAnimations()
                #expect(journal.take() == ["finished false"])
            }
        }

        @Test("an animation that is replaced or removed has not finished, and does not end again")
        func removal() throws {
            try run { device, journal, root in
                root.start(2)
                root.start(5)
                #expect(journal.take() == ["finished false"])
                root.ring.removeAnimation(forKey: "ring")
                #expect(journal.take() == ["finished false"])
                device.advance(by: .seconds(10))
                #expect(journal.take().isEmpty)
            }
        }

        @Test("a view has a layer, with sublayers, colors and a path")
        func properties() throws {
            try run { _, _, root in
                #expect(root.view.layer.cornerRadius == 8)
                #expect(root.ring.superlayer === root.view.layer)
                #expect(root.ring.strokeColor == UIColor.systemRed.cgColor)
                #expect(root.ring.path?.isEmpty == false)
                #expect(UIBezierPath().cgPath.isEmpty)
                root.ring.removeFromSuperlayer()
                #expect(root.view.layer.sublayers?.isEmpty == true)
            }
        }
    }
}
