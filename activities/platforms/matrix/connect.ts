// Connects a user and a room on the server that the user names.
import { z } from 'zod';
import { PlatformError } from '../platform-error.ts';
import type { Connection, Credentials } from '../platform.ts';
import type { Send } from './client.ts';

export const ConnectInput: z.ZodType<Credentials> = z
  .strictObject({
    server: z
      .string()
      .trim()
      .max(300)
      .transform((given) => (/^https?:\/\//i.test(given) ? given : `https://${given}`))
      .refine((given) => URL.canParse(given), 'must be the address of a server')
      .transform((given) => new URL(given).origin)
      .meta({ title: 'Homeserver', description: 'Such as `matrix-client.matrix.org`.' }),
    access_token: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,1000}$/, 'must be an access token')
      .meta({
        title: 'Access token',
        description: 'In Element: All settings, Help & About, Advanced, Access Token.',
      }),
    room: z
      .string()
      .trim()
      .regex(/^![\w+/=:.~-]{1,254}$/, 'must be the ID of a room, such as !abc:example.com')
      .meta({
        title: 'Room ID',
        description: 'In Element: Room settings, Advanced, Internal room ID.',
      }),
  })
  .meta({
    description:
      'Create a user for your posts, log in to it once, and copy its access token. Then invite the user to the room and join it. The room must not be encrypted.',
  });

/** @see https://spec.matrix.org/v1.18/client-server-api/#get_matrixclientv3accountwhoami */
const WhoAmI = z.object({ user_id: z.string().regex(/^@.+:.+$/) });

export async function connect(
  send: Send,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<Connection> {
  const { server = '', room = '' } = credentials;
  const call = { credentials, kind: 'other', signal } as const;
  const { user_id: user } = await send({ ...call, path: '/account/whoami', answer: WhoAmI }).catch(
    (error: unknown) => blame(error, ({ platformCode = '' }) => findField(platformCode)),
  );
  if (await isEncrypted(send, credentials, signal)) {
    const message = 'The room is encrypted. Choose a room without encryption.';
    throw new PlatformError('rejected', message, { field: 'room', platformCode: 'encrypted' });
  }
  return {
    externalAccountId: `${user}/${room}@${new URL(server).host}`,
    accountName: `${user} in ${room}`,
    credentials,
    scope: [],
    tokenExpiresAt: null,
  };
}

/** A room that the user isn't in refuses this too. */
async function isEncrypted(
  send: Send,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<boolean> {
  const path = `/rooms/${encodeURIComponent(credentials['room']!)}/state/m.room.encryption/`;
  const answer = z.looseObject({});
  try {
    await send({ credentials, kind: 'other', signal, path, answer });
    return true;
  } catch (error) {
    const isMissing =
      error instanceof PlatformError && error.options.platformCode === 'M_NOT_FOUND';
    if (isMissing) return false;
    return blame(error, () => 'room');
  }
}

/** Only a Matrix server refuses by a code of Matrix. */
function findField(code: string): string {
  return code.startsWith('M_') && code !== 'M_UNRECOGNIZED' ? 'access_token' : 'server';
}

function blame(error: unknown, fieldOf: (options: PlatformError['options']) => string): never {
  const isRefusal = error instanceof PlatformError && /^(rejected|reauthorize)$/.test(error.kind);
  if (!isRefusal) throw error;
  const { message, options } = error;
  throw new PlatformError('rejected', message, { ...options, field: fieldOf(options) });
}
