// Placeholder until the tool lands.
