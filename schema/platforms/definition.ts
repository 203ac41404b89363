// The definition of a network: the source of its settings, API types and documentation tables.
import type { z } from 'zod';
import { describedEnum } from '../wire/described-enum.ts';
import type { Text } from '../wire/names.ts';

export const TextUnit = describedEnum('TextUnit', 'Unit in which the network counts text.', {
  graphemes: 'Characters as a reader sees them.',
  characters: 'Unicode code points.',
  utf16: 'UTF-16 code units. Most emoji count as two.',
  emoji_bytes: 'Unicode code points, but each emoji counts as its bytes in UTF-8.',
  weighted:
    'Characters as X weights them. A link counts as 23. An emoji counts as two, and so do most scripts other than Latin, Greek and Cyrillic.',
});
export type TextUnit = z.infer<typeof TextUnit>;

/** Rules for the images, or for the videos, of a post. An absent limit means that none is known. */
export interface MediaFileRules {
  /** Maximum number in one post. */
  readonly max: number;
  /** Media types, the preferred one first. Images of other types are re-encoded as the first one. */
  readonly types: readonly string[];
  readonly maxBytes?: number;
  /** Maximum size of a GIF. Absent: `maxBytes`. */
  readonly maxGifBytes?: number;
  /** In pixels. */
  readonly minWidth?: number;
  readonly minHeight?: number;
  readonly maxWidth?: number;
  readonly maxHeight?: number;
  /** Width times height. */
  readonly maxPixels?: number;
  /** Width divided by height. */
  readonly minRatio?: number;
  readonly maxRatio?: number;
}

export interface VideoRules extends MediaFileRules {
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  /** Whether the network shows the thumbnail that a client chooses. Absent: no. */
  readonly hasThumbnail?: boolean;
  /** Whether the network shows the frame that a client chooses. Absent: no. */
  readonly hasThumbnailFrame?: boolean;
}

export type MediaKind = 'image' | 'video' | 'document';

/** The facts about a file that rules for several media depend on. Null: not known yet. */
export interface MediaSummary {
  readonly kind: MediaKind | null;
  readonly contentType: string | null;
  readonly bytes: number | null;
}

/** Rules for the media of a post. */
export interface MediaRules {
  /** Maximum number of images, videos and documents together. */
  readonly max: number;
  /** Whether one post can have both images and videos. */
  readonly canMix: boolean;
  /** Null: no images. */
  readonly image: MediaFileRules | null;
  /** Null: no videos. */
  readonly video: VideoRules | null;
  /** A document is the only media of its post. Absent or null: no documents. */
  readonly document?: MediaFileRules | null;
  /** Maximum length of an alt text, in Unicode code points. Null: the network has none. */
  readonly altText: number | null;
  /** A post with a video shows no alt texts, not even those of its images. */
  readonly hasNoAltTextWithVideo?: true;
  /** Videos and documents have no alt texts. */
  readonly isAltTextOfImages?: true;
  /**
   * Rules for the picture of a link card. A post with the option `link` has at most this picture, and no
   * other media. Absent: the network has no link cards.
   */
  readonly linkCard?: MediaFileRules;
  /** The network stores no files and links to the client's own URLs. Absent: it stores them. */
  readonly needsUrl?: boolean;
  /** Why these media can't be posted together, or with these options. Absent: they always can. */
  readonly refuse?: (
    media: readonly MediaSummary[],
    options: Record<string, unknown>,
  ) => readonly MediaRefusal[];
  /** Rules for a post with these options. Absent: the rules don't depend on options. */
  readonly withOptions?: (options: Record<string, unknown>) => MediaRules;
}

export interface MediaRefusal {
  code: string;
  message: Text;
  /** The option at fault. Absent: the media are at fault. */
  option?: string;
}

/** Refuses each of these options that is set. */
export function notWithMedia(
  title: string,
  options: Record<string, unknown>,
  what = 'media',
): MediaRefusal[] {
  const given = Object.keys(options).filter((option) => options[option] !== undefined);
  return given.map((option) => ({
    code: 'not_with_media',
    message: ({ field }) => `${title} doesn't accept ${field(option)} in a post with ${what}.`,
    option,
  }));
}

/** A post as a whole. */
export interface PostSummary {
  readonly caption: string;
  readonly media: readonly MediaSummary[];
  readonly options: Record<string, unknown>;
  /** Null: the post has none. */
  readonly firstComment: string | null;
  /** The post replies to a post that is already at the network. */
  readonly isReply: boolean;
  /** The post replies to an earlier part of its thread. Absent: no. */
  readonly isLaterPart?: boolean;
}

/** What a network finds in a post as a whole. */
export interface PostFinding {
  /** The part of the post that the finding is about. */
  at: 'caption' | 'media' | 'first_comment' | 'in_reply_to' | 'options';
  /** With `options`: the option. */
  option?: string;
  code: string;
  message: Text;
  actual?: number;
  limit?: number;
  /** The finding doesn't refuse the post. */
  isWarning?: true;
}

/** The rules of a network for posts. Validation and `capabilities` read them. */
export interface PlatformRules {
  readonly text: {
    readonly max: number;
    /** The lower limit of text with media, such as a caption, if there is one. Absent: `max`. */
    readonly maxWithMedia?: number;
    /** The limit of text with media that are all images, if it differs. Absent: the limit of text with media. */
    readonly maxWithImages?: number;
    /**
     * Limit in UTF-8 bytes, besides `max`. If the network counts only bytes, `max` and `maxBytes` are the
     * same number.
     */
    readonly maxBytes?: number;
    readonly unit: TextUnit;
    /** Length in the unit. Default: each unit counts as one. */
    readonly count?: (text: string, options: Record<string, unknown>) => number;
  };
  /** Whether a post without media needs text. */
  readonly isTextRequired: boolean;
  /** Null: the network accepts no media. */
  readonly media: MediaRules | null;
  /**
   * Form of the ID of a post to reply to. `areComments`: a reply has only text, and nothing can reply to it,
   * so there are no threads. Null: the network has no replies, so there are no threads and no comments.
   */
  readonly replies: {
    readonly id: RegExp;
    readonly example: string;
    readonly areComments?: true;
  } | null;
  /** Findings about several parts of a post: its caption, its media and its options. Absent: none. */
  readonly check?: (post: PostSummary) => readonly PostFinding[];
  /** Source of the rules. */
  readonly source: string;
}

/** A step after the publication of a target. */
export interface StepDefinition {
  /** What the step does, as a sentence. */
  readonly description: string;
  /** Whether a target with these options and media has the step. */
  isWanted(target: {
    options: Record<string, unknown>;
    media: readonly { thumbnail_id: string | null }[];
  }): boolean;
}

/** A field of a published post that its network can edit. */
export type EditField = 'caption' | 'media.alt_text' | `platform_options.${string}`;

/** Rules for one kind of change of a published post. */
export interface ChangeRules {
  /** Seconds after the publication. Null: no limit is known. */
  readonly withinS: number | null;
  /** Scopes that a login needs, besides those of posts. */
  readonly scopes: readonly string[];
  /** Posts that the API can't change so, as sentences. */
  readonly except: readonly string[];
  /** Why the API can't change this post so, as a sentence. Absent: it can, as far as Fanfare knows. */
  readonly refuse?: (post: ChangedPost) => string | undefined;
}

/** The facts about a published post on which its changes depend. */
export interface ChangedPost {
  readonly mediaCount: number;
  readonly options: Record<string, unknown>;
  readonly isReply: boolean;
}

/** What the network's API can still do with a post that it has published. */
export interface AfterPublishing {
  /** Null: the API can't remove a post. */
  readonly unpublish: ChangeRules | null;
  /** Null: the API can't edit a post. */
  readonly edit: (ChangeRules & { readonly fields: readonly EditField[] }) | null;
  /** Where users do by hand what the API can't do, as a sentence. */
  readonly byHand: string;
  /** The network's own pages that say so. */
  readonly sources: { readonly unpublish: string; readonly edit: string };
}

/** How an account differs from others of its network, such as its server's limits. Never secret. */
export type Traits = Readonly<Record<string, string | number | boolean>>;

/** A client that is registered at a network: a project's or the operator's. */
export interface App {
  readonly id: string;
  readonly clientId: string;
  /** Null: the client has none. */
  readonly clientSecret: string | null;
  /** Settings of a project's own app, as in `appSettings`. Absent: none, or the app is the operator's. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PlatformDefinition {
  /** Name in the API. */
  readonly name: string;
  /** Name for people. GraphQL types start with it, so it is one word. */
  readonly title: string;
  /** `apiUrl` is read from `FANFARE_<NAME>_API_URL`. */
  readonly settings: Readonly<Record<string, z.ZodType>>;
  /** The network fetches media, so it is off where no public address is set. It has the setting `apiUrl`. */
  readonly needsPublicMedia?: boolean;
  /**
   * The network takes the bytes of videos but fetches images, so it takes no images where no public address is set.
   * It has the setting `apiUrl`.
   */
  readonly fetchesImages?: boolean;
  /** Accounts connect through an app that the operator or the project registers at the network. */
  readonly hasApp?: boolean;
  /** The network knows no apps without a client secret. */
  readonly needsAppSecret?: boolean;
  /**
   * Settings of a project's own app: a strict object of texts. The operator's settings are in `settings`.
   * Absent: none.
   */
  readonly appSettings?: z.ZodObject;
  /**
   * How the network reports users who removed an app. The path of its calls has this value. `meta`: also reports
   * users who want their data deleted, and its reviews ask for a privacy policy. `tiktok`: reports posts at the same
   * address. Absent: it reports no users.
   */
  readonly userCallbacks?: 'meta' | 'tiktok';
  /** Scopes that a login must have. Absent: none. */
  readonly scopes?: readonly string[];
  readonly rules: PlatformRules;
  /** Rules of an account with these traits. Absent: all accounts have the same rules. */
  readonly rulesFor?: (traits: Traits) => PlatformRules;
  /**
   * Options of a post to the network. A strict object. Metadata of an option, beside its description: `x-choices` is
   * the kind of the choices that it takes, and `x-no-default` says that each post must set it, so that an account has
   * no default for it.
   */
  readonly options: z.ZodObject;
  /** Options of an account with these traits, within `options`. Absent: all accounts take the same ones. */
  readonly optionsFor?: (traits: Traits) => z.ZodObject;
  /** Options that the creator decides for each post, so a copy of a post doesn't have them. Absent: none. */
  readonly decidedPerPost?: readonly string[];
  /**
   * Kinds of choices, such as categories, with their descriptions. A choice is an option value that the
   * network offers to an account. Absent: none.
   */
  readonly choices?: Readonly<Record<string, string>>;
  /**
   * The post that a check publishes if it is asked to. Absent: a post without options, for everyone. Null: a post
   * needs what a check doesn't have, such as a video or the consent of the owner, so checks don't publish.
   */
  readonly trialPost?: {
    readonly options?: Readonly<Record<string, unknown>>;
    /** Options that the trial post takes from the account's defaults, such as a board. */
    readonly defaults?: readonly string[];
    /** The trial post has an image. */
    readonly needsImage?: true;
    /** Who sees the trial post. */
    readonly seenBy?: string;
    /** A sentence on what the trial post costs. */
    readonly price?: string;
  } | null;
  /**
   * Steps after the publication, such as setting a thumbnail. The key is the name on the wire. Each is an outcome of
   * its own, and its failure leaves the target published. Absent: none.
   */
  readonly steps?: Readonly<Record<string, StepDefinition>>;
  /** What can be done with a published post. Absent: neither removals nor edits. */
  readonly afterPublishing?: AfterPublishing;
  /** The same for an account with these traits. Absent: all accounts have the same. */
  readonly afterPublishingFor?: (traits: Traits) => AfterPublishing;
  /** `prepare` only uploads media, so a target without media begins with the commit. */
  readonly preparesOnlyMedia?: boolean;
  /**
   * Milliseconds after a commit in which the network recognizes a repeat and publishes no second post. In this
   * time, Fanfare repeats a commit without an answer after one check. Later, it does all checks first. 0: the
   * network recognizes no repeat. Infinity: it always does.
   */
  readonly commitRepeatsForMs: number;
  /** Deadlines of the network that differ from the default, in milliseconds. */
  readonly clock?: {
    readonly prepareForMs?: number;
    readonly confirmForMs?: number;
    readonly confirmMaxMs?: number;
  };
}

export function definePlatform<const Definition extends PlatformDefinition>(
  definition: Definition,
): Definition {
  return definition;
}
