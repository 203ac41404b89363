// What clients should no longer use, and how long it still works.

/**
 * When each version deprecates members and routes, and from which day on a later version may remove them. At least six
 * months lie between the two.
 */
export const deprecations = {
  '0.2': { at: '2026-11-27', sunset: '2027-06-01' },
} as const;
export type DeprecatedIn = keyof typeof deprecations;

/** The version that deprecated a member, in the meta data of its schema. */
const key = 'x-deprecated-in';

/** Meta data of a member in REST that has another name now. */
export function formerName(name: string, version: DeprecatedIn) {
  const description = `Former name of \`${name}\`. Works at least until ${deprecations[version].sunset}.`;
  return { description, deprecated: true, [key]: version };
}

/** The reason of a deprecation in GraphQL. */
export function useInstead(name: string, version: DeprecatedIn): string {
  return `Use \`${name}\`. This works at least until ${deprecations[version].sunset}.`;
}

/** The version that deprecated the member. Undefined: it isn't deprecated. */
export function deprecatedIn(meta: Record<string, unknown> | undefined): DeprecatedIn | undefined {
  return meta?.[key] as DeprecatedIn | undefined;
}
