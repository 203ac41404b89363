// The networks that Fanfare knows, by their name on the wire.
import { z } from 'zod';

export const platformNames = ['sandbox', 'bluesky'] as const;

export type PlatformName = (typeof platformNames)[number];

export const PlatformName = z
  .enum(platformNames)
  .meta({ id: 'PlatformName', description: 'A network, lower case.' });

/** As each network writes itself, for pages that people read. */
export const platformTitles: Record<PlatformName, string> = {
  sandbox: 'Sandbox',
  bluesky: 'Bluesky',
};

/** `x` is an old name of `twitter`; answers always say `twitter`. */
export const PlatformInput = z.preprocess(
  (name) => (name === 'x' ? 'twitter' : name),
  PlatformName,
);

/** What a network takes in a post, as validation and `capabilities` read it. */
export interface PlatformRules {
  /** Counted as the network counts: `graphemes` or `characters` (Unicode code points). */
  readonly text: {
    readonly max: number;
    readonly maxBytes?: number;
    readonly unit: 'graphemes' | 'characters';
  };
  readonly isTextRequired: boolean;
  /** Null: it takes none. */
  readonly media: { readonly max: number } | null;
  /** How it names a post that one answers; null: it has no replies, so no threads and no comments. */
  readonly replies: { readonly id: RegExp; readonly example: string } | null;
  /** Where the numbers come from. */
  readonly source: string;
}
