/// Tells optionals from other types, whatever they wrap.
protocol OptionalType {}

extension Optional: OptionalType {}
