// Swift Testing declares an overlay of this name for every file that imports both Testing and UIKit. The toolchain for
// Linux has the declaration but not the module, without which such a file does not compile. Apple's overlay attaches
// images to tests. This one is empty, because there are no images here.
