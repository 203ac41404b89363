// The networks that Fanfare knows, and what is made from their entries.
import { z } from 'zod';
import { number } from '../config/variables.ts';
import { bluesky } from './bluesky.ts';
import type { PlatformDefinition } from './definition.ts';
import { nostr } from './nostr.ts';
import { discord } from './discord.ts';
import { mastodon } from './mastodon.ts';
import { sandbox } from './sandbox.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { wordpress } from './wordpress.ts';

/** In the order in which people see them. */
const definitions = [
  sandbox,
  bluesky,
  mastodon,
  telegram,
  discord,
  slack,
  wordpress,
  nostr,
] as const;

type Definition = (typeof definitions)[number];
export type PlatformName = Definition['name'];

export const platformDefinitions: readonly (PlatformDefinition & { name: PlatformName })[] =
  definitions;
export const platformNames = definitions.map(({ name }) => name) as [PlatformName];

export const PlatformName = z
  .enum(platformNames)
  .meta({ id: 'PlatformName', description: 'A network, lower case.' });

/** As each network writes itself, for pages that people read. */
export const platformTitles = Object.fromEntries(
  definitions.map(({ name, title }) => [name, title]),
) as Record<PlatformName, string>;

/** The settings of a network, and the operator's ceiling. */
type SettingsOf<D extends PlatformDefinition> = {
  -readonly [S in keyof D['settings']]: z.output<D['settings'][S]>;
} & { postsPerMinute: number };

export type PlatformSettings = {
  [Name in PlatformName]: SettingsOf<Extract<Definition, { name: Name }>>;
};

const settingsOf = ({ title, settings }: PlatformDefinition): Record<string, z.ZodType> => ({
  ...settings,
  postsPerMinute: number(
    `The most posts per minute that this installation commits to ${title}. 0: no limit.`,
    0,
  ),
});

/** `bluesky` and `apiUrl` → `FANFARE_BLUESKY_API_URL`. */
const variableOf = (name: string, setting: string) =>
  `FANFARE_${name}_${setting.replaceAll(/[A-Z]/g, '_$&')}`.toUpperCase();

/** By the name of the variable. */
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
