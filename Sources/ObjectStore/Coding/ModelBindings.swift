internal import BinaryCoding
internal import SchemaRegistry

/// The models that a store was opened with, by type.
@usableFromInline
struct ModelBindings: Sendable {
  private let bindings: SmallTable<ObjectIdentifier, ModelBinding>

  /// Those of a type; several models may stand for one.
  func all(of type: TypeShape) -> [ModelBinding] {
    bindings.entries.map(\.value).filter { $0.shape.identity == type.identity }
  }

  /// Binds each model to the type of its name in `shape`.
  init(_ models: [any StorableObject.Type], schema: StoreSchema) throws(StoreError) {
    var bindings = SmallTable<ObjectIdentifier, ModelBinding>()
    for model in models {
      bindings[ObjectIdentifier(model)] = try Self.bind(model, schema)
    }
    self.bindings = bindings
  }

  private static func bind<Model: StorableObject>(
    _ model: Model.Type, _ schema: StoreSchema
  ) throws(StoreError) -> ModelBinding {
    let shape = try schema.type(model.typeName)
    return try ModelBinding(
      model, shape: shape, defaults: schema.defaults[shape.identity] ?? [:],
      failures: ModelFailures(schema, of: shape))
  }

  @inlinable
  func binding<Model: StorableObject>(of model: Model.Type) throws(StoreError) -> ModelBinding {
    guard let binding = known(ObjectIdentifier(model)) else {
      throw unregistered(model)
    }
    return binding
  }

  @usableFromInline
  func known(_ model: ObjectIdentifier) -> ModelBinding? { bindings[model] }

  @usableFromInline
  func unregistered(_ model: any StorableObject.Type) -> StoreError {
    // Beside another one of its name, only the full name tells which it is.
    let name = "\(model)"
    let isNamesake = bindings.entries.contains { $0.value.shape.name == name }
    return .unregisteredModel(type: isNamesake ? String(reflecting: model) : name)
  }
}
