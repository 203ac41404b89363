// What a network is, apart from its calls: the one entry that everything else is made from.
import type { z } from 'zod';

/** `characters` are Unicode code points; `utf16` is what JavaScript's `length` counts. */
export const textUnits = ['graphemes', 'characters', 'utf16'] as const;
export type TextUnit = (typeof textUnits)[number];

/** What a network takes in a post, as validation and `capabilities` read it. */
export interface PlatformRules {
  readonly text: {
    readonly max: number;
    readonly maxBytes?: number;
    readonly unit: TextUnit;
    /** In the unit, where the network doesn't count each character of the text as one. */
    readonly count?: (text: string, options: Record<string, unknown>) => number;
  };
  readonly isTextRequired: boolean;
  /** Null: it takes none. */
  readonly media: { readonly max: number } | null;
  /** How it names a post that one answers; null: it has no replies, so no threads and no comments. */
  readonly replies: { readonly id: RegExp; readonly example: string } | null;
  /** Where the numbers come from. */
  readonly source: string;
}

/** In what accounts of one network differ, such as the limits of their server. Never secret. */
export type Traits = Readonly<Record<string, string | number | boolean>>;

export interface PlatformDefinition {
  /** On the wire. */
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
   * For how long after a commit a repeat of it is no second post, in milliseconds. 0: every repeat is
   * one. Infinity: none ever is.
   */
  readonly commitRepeatsForMs: number;
}

export function definePlatform<const Definition extends PlatformDefinition>(
  definition: Definition,
): Definition {
  return definition;
}
