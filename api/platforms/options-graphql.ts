// The networks' own options in GraphQL, as types generated from the schemas that validate them.
import { platformDefinitions, type PlatformName } from '../../schema/platforms/index.ts';
import { builder } from '../graphql/builder.ts';
import { buildOptionTypes } from './option-types.ts';

const networks = platformDefinitions.flatMap(({ name, title, options }) => {
  const types = buildOptionTypes(builder, title, options);
  return types ? [{ name, title, ...types }] : [];
});

/** A result's options, and the name of their type. */
export type ShownOptions = Record<string, unknown> & { __typename: string };

export const PlatformOptionsRef = builder.unionType('PlatformOptions', {
  description: "Options of a target's network.",
  types: networks.map(({ output }) => output),
  resolveType: (options) => (options as ShownOptions).__typename,
});

/** Null: the network has no options. */
export function showOptions(
  platform: PlatformName,
  options: Record<string, unknown>,
): ShownOptions | null {
  const network = networks.find(({ name }) => name === platform);
  return network ? { ...options, __typename: network.output.name } : null;
}

export const PlatformOptionsInput = builder.inputType('PlatformOptionsInput', {
  description: 'Options of one network. The account must belong to it.',
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(
      networks.map(({ name, title, input }) => [
        name,
        t.field({ type: input, description: `Options for an account on ${title}.` }),
      ]),
    ),
});
