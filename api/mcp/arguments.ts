// The arguments of tools: IDs in the path, those that tools add, and the members of the route.
import { z } from 'zod';
import { fixedLimits } from '../../schema/wire/limits.ts';
import { maxKeyLength } from '../http/idempotency.ts';
import { validate } from '../http/validation.ts';
import { AddMediaArguments } from './add-media.ts';
import { hasKey, type Tool } from './tools.ts';
import { WaitArguments } from './wait-for-post.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const ofBehavior: Readonly<Record<Tool['behavior'], z.ZodObject>> = {
  call: z.object({}),
  wait: WaitArguments,
  'add media': AddMediaArguments,
};

const dedupe = z
  .string()
  .min(1)
  .max(maxKeyLength)
  .optional()
  .meta({
    description: `Any text. For ${fixedLimits.idempotencyHours} hours, a call with the same arguments and the same dedupe does nothing again: it gets the first answer, with replayed: true. Another dedupe does it again.`,
  });

const id = (name: string) =>
  z
    .string()
    .min(1)
    .max(maxKeyLength)
    .regex(/^(?!\.{1,2}$)/, 'must be an ID')
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

/** The API checks the members of the route. In a PATCH, null clears a member; elsewhere it counts as left out. */
export function checkArguments(tool: Tool, args: Arguments): Arguments {
  const members = Object.fromEntries(tool.members.map((name) => [name, z.unknown().optional()]));
  const cleared = tool.route.method === 'patch' ? tool.members : [];
  const given = Object.entries(args).filter(
    ([name, value]) => value !== null || cleared.includes(name),
  );
  return validate(ownArgumentsOf(tool).extend(members), Object.fromEntries(given));
}
