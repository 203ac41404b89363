// API keys, as the wire shows them. The key itself appears only when it is created.
import { z } from 'zod';
import type { PlatformName } from './platforms/index.ts';
import { Scope, scopes } from './scopes.ts';
import { describedEnum } from './wire/described-enum.ts';
import { AppError } from './wire/errors.ts';
import { CreatedAt, GivenName, Id, Name } from './wire/shared-fields.ts';
import { GivenTime, Timestamp } from './wire/timestamp.ts';

export const KeyEnvironment = describedEnum(
  'KeyEnvironment',
  'Accounts that the API key reaches.',
  {
    production: 'All accounts.',
    test: 'Sandbox accounts only.',
  },
);
export type KeyEnvironment = z.infer<typeof KeyEnvironment>;

/** The environment of an account on this network. */
export function environmentOf(platform: PlatformName): KeyEnvironment {
  return platform === 'sandbox' ? 'test' : 'production';
}

/** Call it before connecting an account of this network. */
export function requireReach(
  { environment }: { environment: KeyEnvironment },
  platform: PlatformName,
): void {
  if (environment === 'production' || environmentOf(platform) === 'test') return;
  throw new AppError('insufficient_scope', 'A test key reaches only the sandbox.', {
    hint: 'Use a production key.',
  });
}

export const ApiKey = z
  .object({
    id: Id,
    name: Name,
    prefix: z.string().meta({ description: 'First characters of the key, to recognize it by.' }),
    scopes: z.array(Scope).meta({ description: 'Operations that the key allows.' }),
    environment: KeyEnvironment,
    expires_at: Timestamp.nullable().meta({
      description: 'Time when the key expires. Null if it never expires.',
    }),
    revoked_at: Timestamp.nullable().meta({
      description: 'Time when the key was revoked. Null if it was not.',
    }),
    last_used_at: Timestamp.nullable().meta({
      description: 'Time of the last use, to the minute. Null if the key was never used.',
    }),
    created_at: CreatedAt,
  })
  .meta({ id: 'ApiKey', description: 'An API key, without the key itself.' });
export type ApiKey = z.infer<typeof ApiKey>;

export const CurrentApiKey = ApiKey.extend({
  project: z
    .object({
      id: z.string().meta({ description: 'ID of the project.' }),
      name: z.string().meta({ description: 'Name of the project.' }),
    })
    .meta({ id: 'KeyProject', description: 'The project of an API key.' }),
}).meta({ id: 'CurrentApiKey', description: 'The API key of a request, and its project.' });
export type CurrentApiKey = z.infer<typeof CurrentApiKey>;

export const ApiKeyWithSecret = ApiKey.extend({
  key: z.string().meta({ description: 'The key itself. Shown only once.' }),
}).meta({ id: 'ApiKeyWithSecret', description: 'A new API key, with the key itself.' });
export type ApiKeyWithSecret = z.infer<typeof ApiKeyWithSecret>;

export const CreateApiKey = z
  .strictObject({
    name: GivenName,
    scopes: z
      .array(Scope)
      .min(1)
      .default(() => [...scopes])
      .meta({
        description:
          'Operations that the key allows. You can grant only scopes that your own key has. Default: all.',
      }),
    environment: KeyEnvironment.default('production').meta({
      description: 'Accounts that the key reaches. Default: production.',
    }),
    expires_at: GivenTime.optional().meta({
      description: 'Time when the key expires. Default: never.',
    }),
  })
  .meta({ id: 'CreateApiKey', description: 'An API key to create.' });
export type CreateApiKey = z.infer<typeof CreateApiKey>;
