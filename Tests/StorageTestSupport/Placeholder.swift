// Placeholder until the first support type lands.
