// What a form has changed.

/** The members of `after` that differ. What is not sent stays as it is. */
export function changesOf<Input extends object>(
  before: Partial<Input>,
  after: Input,
): Partial<Input> {
  const old = before as Record<string, unknown>;
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
  );
  return Object.fromEntries(changed) as Partial<Input>;
}
