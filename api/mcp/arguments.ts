// The arguments of tools: IDs in the path, those that tools add, and the members of the route.
import { z } from 'zod';
import { fixedLimits } from '../../schema/wire/limits.ts';
import { validate } from '../http/validation.ts';
import { AddMediaArguments } from './add-media.ts';
import { hasKey, tools, type Tool } from './tools.ts';
import { WaitArguments } from './wait-for-post.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const shortText = z.string().min(1).max(255);

const ofBehavior: Readonly<Record<Tool['behavior'], z.ZodObject>> = {
  call: z.object({}),
  wait: WaitArguments,
  'add media': AddMediaArguments,
};

const dedupe = shortText.optional().meta({
  description: `Any text. For ${fixedLimits.idempotencyHours} hours, a call with the same arguments and the same dedupe does nothing again: it gets the first answer, with replayed: true. Another dedupe does it again.`,
});

/** Not by a pattern: some models refuse every tool if one has a pattern that looks ahead. */
const id = (name: string) =>
  shortText
    .refine((text) => !/^\.{1,2}$/.test(text), {
      message: 'must be an ID',
      params: { code: 'invalid_format' },
    })
    .meta({ description: describeId(name) });

const describeId = (name: string) =>
  name.endsWith('_id')
    ? `ID of the ${name.slice(0, -3)}.`
    : 'Kind of the choices: one of `choices` in the capabilities of the account.';

/** The arguments that are no members of the route. */
export function ownArgumentsOf(tool: Tool) {
  const ids = Object.values(tool.inPath).map((name) => [name, id(name)]);
  return z.strictObject({
    ...Object.fromEntries(ids),
    ...ofBehavior[tool.behavior].shape,
    ...(hasKey(tool) && { dedupe }),
  });
}

const schemas = new Map(
  [...tools.values()].map((tool) => {
    const members = Object.fromEntries(tool.members.map((name) => [name, z.unknown().optional()]));
    return [tool, ownArgumentsOf(tool).extend(members)];
  }),
);

/** The API checks the members of the route. In a PATCH, null clears a member; elsewhere it counts as left out. */
export function checkArguments(tool: Tool, args: Arguments): Arguments {
  const schema = schemas.get(tool)!;
  const cleared = tool.route.method === 'patch' ? tool.members : [];
  const isLeftOut = (name: string) => Object.hasOwn(schema.shape, name) && !cleared.includes(name);
  const given = Object.entries(args).filter(([name, value]) => value !== null || !isLeftOut(name));
  return validate(schema, Object.fromEntries(given));
}
