// Fields that several resources share, with their descriptions.
import { z } from 'zod';
import { Timestamp } from './timestamp.ts';

export const Id = z.string().meta({ description: 'Unique ID.' });
export const CreatedAt = Timestamp.meta({ description: 'Time of creation.' });

export const SocialAccountId = z.string().meta({ description: 'ID of the connected account.' });
export const AccountName = z.string().meta({ description: "Account's name on its network." });
export const WebhookId = z.string().meta({ description: 'ID of the webhook.' });

export const ExternalUserId = z.string().meta({
  description: 'ID, in your system, of the user who owns the account. Null if you set none.',
});
export const GivenUserId = z.string().min(1).max(255).meta({
  description: 'ID, in your system, of the user who owns the account.',
});
export const GivenUserEmail = z.email().max(320).meta({
  description: 'Email address of the user who owns the account.',
});

/** Allows any members. Without `true`, some generators take the empty schema for a type of its own. */
export const JsonObject = z.record(z.string(), z.unknown()).meta({ additionalProperties: true });

/** A size that 32-bit integers may not hold. */
export const Bytes = z.int().meta({ format: 'int64' });

/** A value or size that an issue names. A 32-bit float would round large sizes. */
export const Measure = z.union([z.string(), z.number().meta({ format: 'double' })]);

/** A boolean parameter of a query, where values are text. The OpenAPI document shows a boolean. */
export const queryFlag = (description: string) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((word) => word === 'true')
    .meta({ description, type: 'boolean', default: false });

export const Name = z.string().meta({ description: 'Name for display.' });
/** Characters that break a line, or turn the direction of the text around a name. */
const unsafe = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A short text that people can read and tell apart. */
export const visibleText = (maxCharacters: number, text = z.string()) =>
  text
    .min(1)
    .max(maxCharacters)
    .refine((text) => !unsafe.test(text), 'must not contain control characters')
    .refine((text) => !/^[\p{Z}\p{C}]+$/u.test(text), 'must contain a visible character');

export const GivenName = visibleText(255, Name);
