internal import FileIO

extension SimulatedFileSystem {
  /// The files of a directory by name, as a process sees them.
  package func snapshotOfFiles(in directory: String) -> [String: [UInt8]] {
    state.withLock { state in
      let names = state.disk.directories[Self.key(directory)]?.live ?? [:]
      return names.mapValues { state.disk.files[$0].live }
    }
  }

  /// A hash of the names and contents in a directory, as a process sees them: equal for equal
  /// states, wherever they come from.
  package func hashOfFiles(in directory: String) -> UInt64 {
    state.withLock { state in state.disk.hash(of: Self.key(directory)) }
  }

  /// Whether a process sees a file of that name.
  package func hasFile(_ name: String, in directory: String) -> Bool {
    state.withLock { state in state.disk.directories[Self.key(directory)]?.live[name] != nil }
  }

  /// The files of a directory by name, as a power loss without any survivors leaves them.
  package func snapshotOfDurableFiles(in directory: String) -> [String: [UInt8]] {
    state.withLock { state in
      let names = state.disk.directories[Self.key(directory)]?.durable ?? [:]
      return names.mapValues { state.disk.files[$0].durable }
    }
  }

  /// Replaces bytes behind everybody's back, in the live and the durable contents alike; bytes
  /// beyond the end of the file are left out.
  package func overwrite(_ name: String, in directory: String, at offset: Int, with bytes: [UInt8])
  {
    change(name, in: directory) { contents in
      let count = min(bytes.count, contents.count - offset)
      if count > 0 { SimulatedContents.copy(bytes[..<count], into: &contents, at: offset) }
    }
  }

  /// Flips one bit, 0 to 7, of the byte at `offset`, which must exist.
  package func flipBit(_ bit: Int, of name: String, in directory: String, at offset: Int) {
    change(name, in: directory) { contents in
      if offset < contents.count { contents[offset] ^= 1 << UInt8(bit) }
    }
  }

  /// Replaces a file's contents, or makes a durable file where there is none.
  package func replaceContents(of name: String, in directory: String, with bytes: [UInt8]) {
    let key = Self.key(directory)
    state.withLock { state in
      if let file = state.disk.directories[key]?.live[name] {
        state.disk.files[file].live = bytes
        state.disk.files[file].durable = bytes
        state.disk.files[file].pending = []
        state.disk.files[file].liveHash = nil
        state.disk.files[file].durableHash = nil
      } else {
        state.disk.directories[key, default: .init()].live[name] = state.disk.files.count
        state.disk.directories[key, default: .init()].durable[name] = state.disk.files.count
        state.disk.files.append(
          SimulatedContents(live: bytes, durable: bytes, nameCount: 1))
      }
    }
  }

  /// Removes a file's name for ever; open handles keep reading.
  package func removeFile(_ name: String, in directory: String) {
    let key = Self.key(directory)
    state.withLock { state in
      if let file = state.disk.directories[key]?.live.removeValue(forKey: name) {
        state.disk.files[file].nameCount -= 1
      }
      state.disk.directories[key]?.durable[name] = nil
    }
  }

  private func change(
    _ name: String, in directory: String, _ body: (inout [UInt8]) -> Void
  ) {
    state.withLock { state in
      guard let file = state.disk.directories[Self.key(directory)]?.live[name] else {
        preconditionFailure("there is no file \(name) in \(directory) to damage")
      }
      body(&state.disk.files[file].live)
      body(&state.disk.files[file].durable)
      state.disk.files[file].liveHash = nil
      state.disk.files[file].durableHash = nil
    }
  }
}
