// Swift Testing announces an overlay of this name for every file that imports both it and UIKit. The toolchain for
// Linux has the announcement and not the module, and without one such a file does not compile. Apple's is about images
// as attachments; there are none here, so this one is empty.
