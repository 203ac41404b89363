// The definition of a network. Its settings, its API types and its tables in the docs are made from it.
import type { z } from 'zod';

/** `characters` are Unicode code points; `utf16` is what JavaScript's `length` counts. */
export const textUnits = ['graphemes', 'characters', 'utf16'] as const;
export type TextUnit = (typeof textUnits)[number];

/** The rules of a network for posts. Validation and `capabilities` read them. */
export interface PlatformRules {
  readonly text: {
    readonly max: number;
    readonly maxBytes?: number;
    readonly unit: TextUnit;
    /** Length in the unit. Default: each unit counts as one. */
    readonly count?: (text: string, options: Record<string, unknown>) => number;
  };
  readonly isTextRequired: boolean;
  /** Null: it takes none. */
  readonly media: { readonly max: number } | null;
  /** Form of the ID of a post to reply to. Null: no replies, so no threads and no comments. */
  readonly replies: { readonly id: RegExp; readonly example: string } | null;
  /** Where the numbers come from. */
  readonly source: string;
}

/** How an account differs from others of its network, such as its server's limits. Never secret. */
export type Traits = Readonly<Record<string, string | number | boolean>>;

export interface PlatformDefinition {
  /** Its name in the API. */
  readonly name: string;
  /** For people. GraphQL types begin with it, so it is one word. */
  readonly title: string;
  /** What a user pastes or does to connect: a cell of the README's table. */
  readonly connectsBy: string;
  /** What the tests publish to: a cell of the README's table. */
  readonly testedWith: string;
  /** `apiUrl` is read from `FANFARE_<NAME>_API_URL`. */
  readonly settings: Readonly<Record<string, z.ZodType>>;
  readonly rules: PlatformRules;
  /** The rules of an account with these traits; absent: all accounts have the same. */
  readonly rulesFor?: (traits: Traits) => PlatformRules;
  /** The network's own options of a target; strict. */
  readonly options: z.ZodObject;
  /**
   * How long after a commit the network recognizes a repeat, and publishes no second post, in
   * milliseconds. 0: never. Infinity: always.
   */
  readonly commitRepeatsForMs: number;
}

export function definePlatform<const Definition extends PlatformDefinition>(
  definition: Definition,
): Definition {
  return definition;
}
