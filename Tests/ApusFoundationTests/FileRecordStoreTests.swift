import ApusFoundation
import Testing
