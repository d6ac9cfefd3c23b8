import Foundation

let folder = CommandLine.arguments.dropFirst().first ?? NSTemporaryDirectory() + "people.logstore"
try greet(storeAt: folder)
