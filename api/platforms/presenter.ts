// Turns the rules of a network, which validation uses, into their wire type.
import { z } from 'zod';
import type { Platform } from '../../activities/platforms/platform.ts';
import type { Capabilities } from '../../schema/platforms/capabilities.ts';

export function presentCapabilities({ definition, connect, consent }: Platform): Capabilities {
  const { name, rules, options } = definition;
  const { max, maxBytes, unit } = rules.text;
  return {
    platform: name,
    text: { max, max_bytes: maxBytes ?? null, unit, is_required: rules.isTextRequired },
    media: rules.media,
    replies: rules.replies !== null,
    options: toJsonSchema(options),
    connect: {
      credentials: connect ? toJsonSchema(connect.credentials) : null,
      consent: consent !== undefined,
    },
    source: rules.source,
  };
}

/** Without its name, since a named schema becomes a reference. */
export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $ref, $defs, ...inline } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  return $ref ? { ...inline, ...$defs![$ref.split('/').at(-1)!] } : inline;
}
