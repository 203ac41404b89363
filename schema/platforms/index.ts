// The networks that Fanfare supports, and the types and settings that follow from their definitions.
import { z } from 'zod';
import { number, text } from './variables.ts';
import { describedEnum } from '../wire/described-enum.ts';
import { bluesky } from './bluesky.ts';
import type { PlatformDefinition, StepDefinition } from './definition.ts';
import { facebook } from './facebook.ts';
import { instagram } from './instagram.ts';
import { linkedin } from './linkedin.ts';
import { nostr } from './nostr.ts';
import { discord } from './discord.ts';
import { mastodon } from './mastodon.ts';
import { pinterest } from './pinterest.ts';
import { sandbox } from './sandbox.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { threads } from './threads.ts';
import { tiktok } from './tiktok.ts';
import { twitter } from './twitter.ts';
import { wordpress } from './wordpress.ts';
import { youtube } from './youtube.ts';

/** The documentation lists networks in this order, with the sandbox at the end. */
const definitions = [
  sandbox,
  bluesky,
  mastodon,
  twitter,
  linkedin,
  facebook,
  threads,
  instagram,
  pinterest,
  youtube,
  tiktok,
  telegram,
  discord,
  slack,
  wordpress,
  nostr,
] as const;

type Definition = (typeof definitions)[number];
export type PlatformName = Definition['name'];

export interface PlatformEntry extends PlatformDefinition {
  readonly name: PlatformName;
}

export const platformDefinitions: readonly PlatformEntry[] = definitions;
export const platformNames = definitions.map(({ name }) => name) as [PlatformName];

export const PlatformName = describedEnum(
  'Platform',
  'Network.',
  Object.fromEntries(definitions.map(({ name, title }) => [name, `${title}.`])) as Record<
    Definition['name'],
    string
  >,
);
/** Other names that requests may use. Answers never use them. */
const otherNames = new Map<unknown, PlatformName>([['x', 'twitter']]);

/** A network in a request. */
export const GivenPlatform = z.preprocess((given) => otherNames.get(given) ?? given, PlatformName);
/** The names of the steps that follow the publication of such a target. */
export function listWantedSteps(
  platform: PlatformName,
  target: Parameters<StepDefinition['isWanted']>[0],
): string[] {
  const { steps = {} }: PlatformDefinition = definitions.find(({ name }) => name === platform)!;
  return Object.keys(steps).filter((name) => steps[name]!.isWanted(target));
}

/** The network in a resource that belongs to an account. */
export const AccountPlatform = PlatformName.meta({ description: 'Network of the account.' });

/** The settings of a network, the operator's rate limit for it, and the operator's app. */
type SettingsOf<D extends PlatformDefinition> = {
  -readonly [S in keyof D['settings']]: z.output<D['settings'][S]>;
} & { postsPerMinute: number } & AppSettings;

/** The operator's app at a network. */
export interface AppSettings {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
}

export type PlatformSettings = {
  [Name in PlatformName]: SettingsOf<Extract<Definition, { name: Name }>>;
};

const settingsOf = ({
  title,
  settings,
  hasApp,
}: PlatformDefinition): Record<string, z.ZodType> => ({
  ...settings,
  ...(hasApp && {
    clientId: text(`Client ID of your app at ${title}.`),
    clientSecret: text(`Client secret of your app at ${title}.`),
  }),
  postsPerMinute: number(
    `Maximum number of posts per minute from this installation to ${title}. 0: no limit.`,
    0,
  ),
});

/** `bluesky` and `apiUrl` → `FANFARE_BLUESKY_API_URL`. */
const variableOf = (name: string, setting: string) =>
  `FANFARE_${name}_${setting.replaceAll(/[A-Z]/g, '_$&')}`.toUpperCase();

/** The settings of all networks, by the names of their variables. */
export const platformVariables: Record<string, z.ZodType> = Object.fromEntries(
  platformDefinitions.flatMap((definition) =>
    Object.entries(settingsOf(definition)).map(([setting, type]) => [
      variableOf(definition.name, setting),
      type,
    ]),
  ),
);

/** `values`: the checked variables by their names. */
export function readPlatformSettings(values: Record<string, unknown>): PlatformSettings {
  return Object.fromEntries(
    platformDefinitions.map((definition) => [
      definition.name,
      Object.fromEntries(
        Object.keys(settingsOf(definition)).map((setting) => [
          setting,
          values[variableOf(definition.name, setting)],
        ]),
      ),
    ]),
  ) as unknown as PlatformSettings;
}
