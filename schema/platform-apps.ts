// A project's own apps at networks, as the wire shows them: with the client ID, never with the secret.
import { z } from 'zod';
import { PlatformName } from './platforms/index.ts';
import { CreatedAt } from './wire/shared-fields.ts';
import { Timestamp } from './wire/timestamp.ts';

const ClientId = z.string().meta({ description: "Client ID of the app, from the network's site." });

export const PlatformApp = z
  .object({
    platform: PlatformName.meta({ description: 'Network of the app.' }),
    client_id: ClientId,
    has_client_secret: z.boolean().meta({ description: 'Whether a client secret is stored.' }),
    created_at: CreatedAt,
    updated_at: Timestamp.meta({ description: 'Time of the last change.' }),
  })
  .meta({
    id: 'PlatformApp',
    description: 'Your own app at a network. The client secret is never shown.',
  });
export type PlatformApp = z.infer<typeof PlatformApp>;

export const SetPlatformApp = z
  .strictObject({
    client_id: ClientId.min(1).max(1024),
    client_secret: z.string().min(1).max(4096).optional().meta({
      description: 'Client secret of the app. Default: the app has none.',
    }),
  })
  .meta({ id: 'SetPlatformApp', description: 'Your own app at a network.' });
export type SetPlatformApp = z.infer<typeof SetPlatformApp>;

export const DeletePlatformApp = z.strictObject({
  force: z
    .enum(['true', 'false'])
    .default('false')
    .transform((word) => word === 'true')
    .meta({
      description:
        '`true` deletes the app even if accounts are connected with it. These accounts must then be reconnected. Default: false.',
    }),
});
export type DeletePlatformApp = z.infer<typeof DeletePlatformApp>;
