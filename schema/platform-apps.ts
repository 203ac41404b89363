// A project's own apps at networks, as the wire shows them: with the client ID, never with the secret.
import { z } from 'zod';
import { PlatformName } from './platforms/index.ts';
import { CreatedAt, queryFlag } from './wire/shared-fields.ts';
import { Timestamp } from './wire/timestamp.ts';

const ClientId = z.string().meta({ description: "Client ID of the app, from the network's site." });

/** RFC 6749, appendix A.1 and A.2, without the space, which only a mistake brings. */
const printable = /^[\x21-\x7e]+$/;
const printableWords = 'must have only printable ASCII characters and no spaces';

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

export const PlatformAppEventData = PlatformApp.pick({ platform: true, client_id: true }).meta({
  id: 'PlatformAppEventData',
  description: 'Data of an event about your own app at a network.',
});

export const SetPlatformApp = z
  .strictObject({
    client_id: ClientId.max(1024).regex(printable, printableWords),
    client_secret: z.string().max(4096).regex(printable, printableWords).optional().meta({
      description: 'Client secret of the app. Required at LinkedIn. Default: the app has none.',
    }),
  })
  .meta({ id: 'SetPlatformApp', description: 'Your own app at a network.' });
export type SetPlatformApp = z.infer<typeof SetPlatformApp>;

export const DeletePlatformApp = z.strictObject({
  force: queryFlag(
    '`true` deletes the app even if accounts are connected with it. These accounts must then be reconnected. Default: false.',
  ),
});
export type DeletePlatformApp = z.infer<typeof DeletePlatformApp>;
