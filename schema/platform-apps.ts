// A project's own apps at networks, as the wire shows them: with the client ID, never with the secret.
import { z } from 'zod';
import { PlatformName } from './platforms/index.ts';
import { describedEnum } from './wire/described-enum.ts';
import { CreatedAt, queryFlag } from './wire/shared-fields.ts';
import { Timestamp } from './wire/timestamp.ts';

const ClientId = z.string().meta({ description: "Client ID of the app, from the network's site." });

/**
 * The characters that RFC 6749 allows (appendix A.1 and A.2), except the space, which is always a mistake.
 */
const printable = /^[\x21-\x7e]+$/;
const printableWords = 'must have only printable ASCII characters and no spaces';

const Settings = z.record(z.string(), z.string().max(255));
const settings = {
  description:
    'Settings of the app. Facebook and Instagram: `config_id`, the ID of a configuration of Facebook Login for Business. Instagram: `login`, the login that the client ID and the secret are for, `instagram` or `facebook`.',
};

export const AppApproval = describedEnum(
  'AppApproval',
  "Whether the network has approved the app, as far as the network's answers prove it. Setting the app again resets it to `unknown`.",
  {
    unknown: 'No answer has shown yet whether the app is approved. Answers of Meta never show it.',
    unaudited: 'The network refused a login or a post because it has not approved the app.',
    audited: 'An answer of the network proved the approval.',
  },
);
export type AppApproval = z.infer<typeof AppApproval>;

export const AppCallbackUrls = z
  .object({
    redirect: z.string().meta({ description: 'Where users come back to after a login.' }),
    deauthorize: z.string().nullable().meta({
      description:
        'Where the network reports users who removed the app. Null if the network reports none.',
    }),
    data_deletion: z.string().nullable().meta({
      description:
        'Where the network reports users who want their data deleted. Null if the network reports none.',
    }),
    webhook: z.string().nullable().meta({
      description:
        'Where the network sends its events, such as users who removed the app. Null if the network has none.',
    }),
  })
  .meta({
    id: 'AppCallbackUrls',
    description: "URLs to enter in the app's settings on the network's site.",
  });
export type AppCallbackUrls = z.infer<typeof AppCallbackUrls>;

export const PlatformApp = z
  .object({
    platform: PlatformName.meta({ description: 'Network of the app.' }),
    client_id: ClientId,
    has_client_secret: z.boolean().meta({ description: 'Whether a client secret is stored.' }),
    settings: Settings.meta(settings),
    callback_urls: AppCallbackUrls,
    approval: AppApproval,
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
      description:
        'Client secret of the app. Required at LinkedIn, Facebook, Threads and Instagram. Default: the app has none.',
    }),
    settings: Settings.optional().meta({ description: `${settings.description} Default: none.` }),
  })
  .meta({ id: 'SetPlatformApp', description: 'Your own app at a network.' });
export type SetPlatformApp = z.infer<typeof SetPlatformApp>;

export const DeletePlatformApp = z.strictObject({
  force: queryFlag(
    '`true` deletes the app even if accounts are connected with it. These accounts must then be reconnected. Default: false.',
  ),
});
export type DeletePlatformApp = z.infer<typeof DeletePlatformApp>;
