// Lists the networks of this installation with their capabilities: the rules that validation uses.
import { z } from 'zod';
import {
  afterPublishingOf,
  findFormMethod,
  listMissingScopes,
  optionSchemaOf,
  rulesOf,
} from '../../activities/platforms/index.ts';
import type { Platform } from '../../activities/platforms/platform.ts';
import type { Capabilities } from '../../schema/platforms/capabilities.ts';
import type { MediaRules, Traits, VideoRules } from '../../schema/platforms/definition.ts';
import type { Page } from '../../schema/wire/listing.ts';
import type { Context } from '../http/context.ts';
import { wholePage } from '../http/listing.ts';

export function listCapabilities({ platforms }: Context): Page<Capabilities> {
  return wholePage([...platforms.values()].map((platform) => presentCapabilities(platform)));
}

interface ShownAccount {
  traits: Traits;
  /** Empty: unknown. */
  scope: readonly string[];
}

/** `account`: the account whose rules are shown. Default: the rules of a new account. */
export function presentCapabilities(
  platform: Platform,
  account: ShownAccount = { traits: {}, scope: [] },
): Capabilities {
  const { traits } = account;
  const { name, choices = {} } = platform.definition;
  const rules = rulesOf(platform, traits);
  const form = findFormMethod(platform);
  const { max, maxWithMedia = null, maxWithImages = null, maxBytes = null, unit } = rules.text;
  return {
    platform: name,
    text: {
      max,
      max_with_media: maxWithMedia,
      max_with_images: maxWithImages,
      max_bytes: maxBytes,
      unit,
      is_required: rules.isTextRequired,
    },
    media: rules.media && presentMediaRules(rules.media),
    replies: rules.replies !== null,
    threads: rules.replies !== null && !rules.replies.areComments,
    options: toJsonSchema(optionSchemaOf(platform, traits)),
    choices: Object.entries(choices).map(([kind, description]) => ({ kind, description })),
    after_publishing: presentAfterPublishing(platform, account),
    connect: {
      credentials: form ? toJsonSchema(form.fields) : null,
      consent: platform.connect.some(({ kind }) => kind === 'consent'),
    },
    creator: null,
    source: rules.source,
  };
}

function presentAfterPublishing(
  platform: Platform,
  { traits, scope }: ShownAccount,
): Capabilities['after_publishing'] {
  const { unpublish, edit, byHand } = afterPublishingOf(platform, traits) ?? {};
  const isAllowed = (rules: { scopes: readonly string[] }) =>
    listMissingScopes(rules, scope).length === 0;
  return {
    unpublish: {
      supported: unpublish ? isAllowed(unpublish) : false,
      within_s: unpublish?.withinS ?? null,
      scopes: [...(unpublish?.scopes ?? [])],
      except: [...(unpublish?.except ?? [])],
    },
    edit: {
      fields: edit && isAllowed(edit) ? [...edit.fields] : [],
      within_s: edit?.withinS ?? null,
      scopes: [...(edit?.scopes ?? [])],
      except: [...(edit?.except ?? [])],
    },
    by_hand: byHand ?? null,
  };
}

function presentMediaRules(rules: MediaRules): NonNullable<Capabilities['media']> {
  return {
    max: rules.max,
    can_mix: rules.canMix,
    image: rules.image && presentFileRules(rules.image),
    video: rules.video && presentFileRules(rules.video),
    document: rules.document ? presentFileRules(rules.document) : null,
    max_alt_text: rules.altText,
    needs_url: rules.needsUrl ?? false,
  };
}

function presentFileRules(rules: VideoRules) {
  return {
    max: rules.max,
    types: [...rules.types],
    max_bytes: rules.maxBytes ?? null,
    max_gif_bytes: rules.maxGifBytes ?? null,
    min_width: rules.minWidth ?? null,
    min_height: rules.minHeight ?? null,
    max_width: rules.maxWidth ?? null,
    max_height: rules.maxHeight ?? null,
    max_pixels: rules.maxPixels ?? null,
    min_ratio: rules.minRatio ?? null,
    max_ratio: rules.maxRatio ?? null,
    min_duration_ms: rules.minDurationMs ?? null,
    max_duration_ms: rules.maxDurationMs ?? null,
  };
}

/** Leaves out the name of the schema, since a named schema becomes a reference. */
export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $ref, $defs, ...inline } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  return $ref ? { ...inline, ...$defs![$ref.split('/').at(-1)!] } : inline;
}
