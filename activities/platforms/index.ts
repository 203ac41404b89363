// The registry: every network of this installation, created from its settings.
import { z } from 'zod';
import type {
  AfterPublishing,
  ChangeRules,
  PlatformDefinition,
  PlatformRules,
  Traits,
} from '../../schema/platforms/definition.ts';
import type { PlatformName, PlatformSettings } from '../../schema/platforms/index.ts';
import type { WithWebSocket } from '../egress/guarded-websocket.ts';
import type { LookUpTxt } from './bluesky/handles.ts';
import { createBluesky } from './bluesky/index.ts';
import { createNostr } from './nostr/index.ts';
import { createDiscord } from './discord/index.ts';
import { createFacebook } from './facebook/index.ts';
import { createInstagram } from './instagram/index.ts';
import { createLinkedIn } from './linkedin/index.ts';
import { createMastodon } from './mastodon/index.ts';
import { createPinterest } from './pinterest/index.ts';
import type { Fetch, FormMethod, Platform, Unpublish } from './platform.ts';
import { createSlack } from './slack/index.ts';
import { createTelegram } from './telegram/index.ts';
import { createThreads } from './threads/index.ts';
import { createTikTok } from './tiktok/index.ts';
import { createTwitter } from './twitter/index.ts';
import { findMissingScopes } from './wrong-credential.ts';
import { createWordPress } from './wordpress/index.ts';
import { createYouTube } from './youtube/index.ts';

export interface Platforms extends ReadonlyMap<PlatformName, Platform> {
  /**
   * Networks that are off, since they can't fetch media from this installation. Absent: no network is off.
   */
  readonly withoutMedia?: readonly PlatformName[];
  /** Networks that take no images, since they can't fetch them. Absent: every network takes them. */
  readonly withoutImages?: readonly PlatformName[];
}

export function createPlatforms(
  platforms: readonly Platform[],
  withoutMedia: readonly PlatformName[] = [],
  withoutImages: readonly PlatformName[] = [],
): Platforms {
  const byName = new Map(platforms.map((platform) => [platform.definition.name, platform]));
  return Object.assign(byName, { withoutMedia, withoutImages });
}

/** Why this installation doesn't have the network. */
export function absenceOf(
  { withoutMedia = [] }: Platforms,
  name: PlatformName,
): 'media_not_public' | 'platform_not_configured' {
  return withoutMedia.includes(name) ? 'media_not_public' : 'platform_not_configured';
}

/** The rules of one account of the network. */
export function rulesOf({ definition }: Platform, traits: Traits): PlatformRules {
  return definition.rulesFor?.(traits) ?? definition.rules;
}

/** The options that a post of one account takes. */
export function optionSchemaOf(
  { definition }: Platform,
  traits: Traits,
): PlatformDefinition['options'] {
  return definition.optionsFor?.(traits) ?? definition.options;
}

/** The same options for a draft, which may lack any of them. Rules about several options don't apply. */
export function withoutRequired({ shape }: PlatformDefinition['options']) {
  const fields = Object.entries<z.ZodType>(shape).map(([name, field]) => [name, field.optional()]);
  return z.strictObject(Object.fromEntries(fields) as z.ZodRawShape);
}

/** What can be done with a published post of one account. Undefined: nothing. */
export function afterPublishingOf(
  { definition }: Platform,
  traits: Traits,
): AfterPublishing | undefined {
  return definition.afterPublishingFor?.(traits) ?? definition.afterPublishing;
}

/** The call that removes the posts of one account. Undefined: there is none, or the login lacks a scope. */
export function findUnpublish(
  platform: Platform,
  { traits, scope }: { traits: Traits; scope: readonly string[] },
): Unpublish | undefined {
  const rules = afterPublishingOf(platform, traits)?.unpublish;
  return rules && listMissingScopes(rules, scope).length === 0 ? platform.unpublish : undefined;
}

/** The scopes of a change that the login of an account lacks. `scope`: empty if unknown. Then none is missing. */
export function listMissingScopes(
  { scopes }: Pick<ChangeRules, 'scopes'>,
  scope: readonly string[],
): string[] {
  return findMissingScopes(scopes, scope.length > 0 ? scope : null);
}

/** Whether a network no longer allows a change of a published post. */
export function isTooLate(
  { withinS }: Pick<ChangeRules, 'withinS'>,
  publishedAt: Date | null,
  now: Date,
): boolean {
  return withinS !== null && publishedAt !== null && +now - +publishedAt > withinS * 1_000;
}

/** The method that `POST /v1/accounts/connect` uses. Undefined: the network connects by consent only. */
export function findFormMethod({ connect }: Platform): FormMethod | undefined {
  return connect.find((method) => method.kind === 'form');
}

/**
 * How connectors reach networks. Every call is guarded, and counts for the project that the connector acts
 * for.
 */
export interface PlatformTools {
  fetch: Fetch;
  lookUpTxt: LookUpTxt;
  withWebSocket: WithWebSocket;
}

/** All networks except the sandbox, whose server is our own. The type requires an entry for every defined network. */
export function connectPlatforms(settings: PlatformSettings, tools: PlatformTools): Platform[] {
  const platforms: Record<Exclude<PlatformName, 'sandbox'>, Platform> = {
    bluesky: createBluesky({ ...settings.bluesky, ...tools }),
    mastodon: createMastodon(tools),
    twitter: createTwitter({ ...settings.twitter, ...tools }),
    linkedin: createLinkedIn({ ...settings.linkedin, ...tools }),
    facebook: createFacebook({ ...settings.facebook, ...tools }),
    threads: createThreads({ ...settings.threads, ...tools }),
    instagram: createInstagram({ ...settings.instagram, ...tools }),
    pinterest: createPinterest({ ...settings.pinterest, ...tools }),
    youtube: createYouTube({ ...settings.youtube, ...tools }),
    tiktok: createTikTok({ ...settings.tiktok, ...tools }),
    telegram: createTelegram({ ...settings.telegram, ...tools }),
    discord: createDiscord({ ...settings.discord, ...tools }),
    slack: createSlack({ ...settings.slack, ...tools }),
    wordpress: createWordPress(tools),
    nostr: createNostr(tools.withWebSocket),
  };
  return Object.values(platforms);
}
