// Turns the rules of a network, which validation uses, into their wire type.
import { z } from 'zod';
import { findFormWay } from '../../activities/platforms/index.ts';
import type { Platform } from '../../activities/platforms/platform.ts';
import type { Capabilities } from '../../schema/platforms/capabilities.ts';

export function presentCapabilities(platform: Platform): Capabilities {
  const { name, rules, options } = platform.definition;
  const form = findFormWay(platform);
  const { max, maxBytes, unit } = rules.text;
  return {
    platform: name,
    text: { max, max_bytes: maxBytes ?? null, unit, is_required: rules.isTextRequired },
    media: rules.media,
    replies: rules.replies !== null,
    options: toJsonSchema(options),
    connect: {
      credentials: form ? toJsonSchema(form.fields) : null,
      consent: platform.connect.some(({ kind }) => kind === 'consent'),
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
