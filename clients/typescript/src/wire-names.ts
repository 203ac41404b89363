// Converts the names of GraphQL to those of REST.

/** `{errorCode: …}` → `{error_code: …}`. The REST API has the same members in these names. */
export function toWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWireNames);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    toWireNames(member),
  ]);
  return Object.fromEntries(entries) as unknown;
}
