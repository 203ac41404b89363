// The options of a target: the options in the request, and the account's defaults for options that the
// request doesn't have.
import { optionNames } from '../../platforms/check-options.ts';
import type { PlatformEntry } from '../../../schema/platforms/index.ts';
import { render, type Text } from '../../../schema/wire/names.ts';
import type { RequestTarget } from './request-targets.ts';
import type { TargetIssue } from './target-issues.ts';

export type Options = Record<string, unknown>;

/** A target with the options that it is published with. */
export interface DefaultedTarget extends RequestTarget {
  /** Names of the target's options that are defaults of the account. */
  defaulted: readonly string[];
  /** Names of options that the request sets to null, so that they get no default. */
  leftOut: readonly string[];
}

/**
 * Adds the account's defaults. An option of the request replaces the whole default of the same name. An
 * option with the value null is removed and gets no default.
 */
export function withDefaults(
  target: RequestTarget,
  defaults: Options,
  readSchema: () => PlatformEntry['options'] | undefined,
): DefaultedTarget {
  const { own } = target;
  const given = own.platform_options ?? {};
  const defaulted = Object.keys(defaults).filter((name) => !Object.hasOwn(given, name));
  const hasNull = Object.values(given).includes(null);
  if (defaulted.length === 0 && !hasNull) return { ...target, defaulted, leftOut: [] };
  const schema = hasNull ? readSchema() : undefined;
  // An unknown name is refused, even with a null.
  const nulls = schema ? optionNames(schema).filter((name) => given[name] === null) : [];
  const platform_options = { ...pick(defaults, defaulted), ...omit(given, nulls) };
  // Nulls are kept even without a default, because a draft gets the account's defaults only when it leaves
  // draft.
  return { ...target, own: { ...own, platform_options }, defaulted, leftOut: nulls };
}

/**
 * Splits the options into the two columns of the target's row: the request's options, and the account's
 * defaults. `options`: all checked options of the target.
 */
export function splitOptions({ defaulted, leftOut }: DefaultedTarget, options: Options) {
  const nulls = Object.fromEntries(leftOut.map((name) => [name, null]));
  return {
    platformOptions: { ...omit(options, defaulted), ...nulls },
    defaultOptions: pick(options, defaulted),
  };
}

/** Reports an issue with a default at the account, since the request has no field for the default. */
export function atAccount(
  { at, path, defaulted }: DefaultedTarget,
  { issue, ...found }: TargetIssue,
): TargetIssue {
  const [options, name] = issue.path.slice(at.length).map(String);
  if (options !== 'platform_options' || name === undefined || !defaulted.includes(name)) {
    return { issue, ...found };
  }
  const message: Text = (names) =>
    `The account has the default ${names.field(name)}: ${render(issue.message, names)}`;
  return { ...found, issue: { ...issue, path, message } };
}

const pick = (options: Options, names: readonly string[]) =>
  filterOptions(options, (name) => names.includes(name));

const omit = (options: Options, names: readonly string[]) =>
  filterOptions(options, (name) => !names.includes(name));

function filterOptions(options: Options, isKept: (name: string) => boolean): Options {
  return Object.fromEntries(Object.entries(options).filter(([name]) => isKept(name)));
}
