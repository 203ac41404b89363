// Checks the options of a network by its own schema.
import type { z } from 'zod';
import type { Platforms } from '../../activities/platforms/index.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import type { Issue } from '../../schema/wire/errors.ts';
import type { Path } from '../../schema/wire/names.ts';
import { check } from '../http/validation.ts';

/** Options may name their network. `path`: path of its name in the request. */
export function checkNetwork(name: PlatformName, given: PlatformName | undefined, path: Path) {
  if (given === undefined || given === name) return [];
  const message = `must be the account's network, ${name}`;
  return [{ path, code: 'other_network', message, actual: given }] satisfies Issue[];
}

/** `path`: path of the options in the request. */
export function checkOptions(
  platforms: Platforms,
  network: Pick<PlatformEntry, 'name' | 'options'>,
  given: Record<string, unknown>,
  path: Path,
): Issue[] {
  const { issues } = check(network.options, given, { at: path });
  return issues.map((issue) => {
    const isUnknown = issue.code === 'unknown_field' && issue.path.length === path.length + 1;
    if (!isUnknown) return issue;
    return { ...issue, message: explainOption(platforms, network, String(issue.path.at(-1))) };
  });
}

/** Explains an unknown option. The most common mistake is an option of another network. */
function explainOption(
  platforms: Platforms,
  { name, options }: Pick<PlatformEntry, 'name' | 'options'>,
  key: string,
): string {
  const owners = [...platforms.values()]
    .map(({ definition }) => definition)
    .filter((other) => optionNames(other.options).includes(key))
    .map((other) => other.name);
  const own = optionNames(options);
  const known = own.length > 0 ? `, which takes ${own.join(', ')}` : '';
  return owners.length > 0
    ? `is an option of ${owners.join(', ')}, not of ${name}${known}`
    : `is not an option of ${name}${known}`;
}

export function optionNames(options: z.ZodType): string[] {
  return 'shape' in options ? Object.keys(options.shape as object) : [];
}
