// The default options of an account, as a request gives them.
import { optionSchemaOf } from '../../activities/platforms/index.ts';
import type { GivenAccountDefaults } from '../../schema/accounts.ts';
import type { SocialAccountRow } from '../../schema/database/tables.ts';
import { validationError, type Issue } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';
import { requirePlatform } from '../platforms/absence.ts';
import { checkNetwork, checkOptions } from '../platforms/check-options.ts';
import { toJsonSchema } from '../platforms/operations.ts';

interface OptionShapes {
  properties?: Record<string, { 'x-no-default'?: boolean }>;
}

const path = ['defaults', 'platform_options'];

/** Length of the options as JSON. It is limited, because each target of a post gets a copy. */
const maxCharacters = 10_000;

/** Checks default options like the options of a post, but requires none. Throws one error with all issues. */
export function readDefaultOptions(
  { platforms }: Context,
  { platform: name, traits }: SocialAccountRow,
  { platform: named, platform_options: given }: GivenAccountDefaults,
): Record<string, unknown> {
  const platform = requirePlatform(platforms, name);
  const misplaced = checkNetwork(name, named, ['defaults', 'platform']);
  if (misplaced.length > 0) throw validationError(misplaced);
  const options = optionSchemaOf(platform, traits);
  const { properties = {} } = toJsonSchema(options) as OptionShapes;
  // An unknown name is refused, even with a null.
  const isSet = ([option, value]: [string, unknown]) =>
    value !== null || !Object.hasOwn(properties, option);
  const defaults = Object.fromEntries(Object.entries(given).filter(isSet));
  refuseLong(defaults);
  const isLeftToPosts = (issue: Issue) =>
    issue.code === 'required' && issue.path.length === path.length + 1;
  const issues = [
    ...checkOptions(platforms, { name, options }, defaults, path).filter(
      (issue) => !isLeftToPosts(issue),
    ),
    ...Object.keys(defaults)
      .filter((option) => properties[option]?.['x-no-default'])
      .map((option) => {
        const message = 'must be set for each post, so it has no default';
        return { path: [...path, option], code: 'no_default', message };
      }),
  ];
  if (issues.length > 0) throw validationError(issues);
  return defaults;
}

function refuseLong(defaults: Record<string, unknown>): void {
  const actual = JSON.stringify(defaults).length;
  if (actual <= maxCharacters) return;
  const message = `must have at most ${maxCharacters.toLocaleString('en-US')} characters as JSON`;
  throw validationError([{ path, code: 'too_big', message, actual, limit: maxCharacters }]);
}
