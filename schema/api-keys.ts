// API keys, as the wire shows them. The key itself appears only in the answer of its creation.
import { z } from 'zod';
import type { PlatformName } from './platforms/index.ts';
import { Scope, scopes } from './scopes.ts';
import { GivenTime, Timestamp } from './wire/timestamp.ts';

export const keyEnvironments = ['production', 'test'] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];

/** Of an account of this network. */
export function environmentOf(platform: PlatformName): KeyEnvironment {
  return platform === 'sandbox' ? 'test' : 'production';
}

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().meta({ description: 'The first characters of the key, to recognise it.' }),
    scopes: z.array(Scope),
    environment: z.enum(keyEnvironments),
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyWithSecret = ApiKey.extend({ key: z.string() }).meta({ id: 'ApiKeyWithSecret' });
export type ApiKeyWithSecret = z.infer<typeof ApiKeyWithSecret>;

export const CreateApiKey = z
  .strictObject({
    name: z.string().min(1).max(255),
    scopes: z
      .array(Scope)
      .min(1)
      .default(() => [...scopes]),
    environment: z.enum(keyEnvironments).default('production').meta({
      description: 'A `test` key reaches only sandbox accounts.',
    }),
    expires_at: GivenTime.optional(),
  })
  .meta({ id: 'CreateApiKey' });
export type CreateApiKey = z.infer<typeof CreateApiKey>;
