// Connected social accounts and the sessions in which users connect them, as the wire shows them.
import { z } from 'zod';
import { listQuery } from './listing.ts';
import { PlatformInput, PlatformName } from './platforms.ts';
import { Timestamp } from './timestamp.ts';

export const connectionTypes = ['managed', 'byo'] as const;
export const accountStatuses = ['active', 'reconnect_required', 'disconnected'] as const;
const disconnectReasons = ['user', 'token_expired', 'revoked'] as const;
export type ConnectionType = (typeof connectionTypes)[number];
export type AccountStatus = (typeof accountStatuses)[number];
export type DisconnectReason = (typeof disconnectReasons)[number];

export const Account = z
  .object({
    id: z.string(),
    platform: PlatformName,
    account_name: z.string(),
    external_account_id: z.string(),
    external_user_id: z.string().nullable(),
    external_user_email: z.string().nullable(),
    connection_type: z.enum(connectionTypes),
    status: z.enum(accountStatuses),
    scope: z.array(z.string()),
    connected_at: Timestamp,
    token_expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/** The account as event data shows it; `reason` only on `account.disconnected`. */
export const AccountEventData = z
  .object({
    social_account_id: z.string(),
    platform: PlatformName,
    account_name: z.string(),
    external_user_id: z.string().nullable(),
    connection_type: z.enum(connectionTypes),
    reason: z.enum(disconnectReasons).optional(),
  })
  .meta({ id: 'AccountEventData' });
export type AccountEventData = z.infer<typeof AccountEventData>;

export const ConnectAccount = z
  .strictObject({
    platform: PlatformInput,
    credentials: z.record(z.string(), z.string().max(4096)),
    external_user_id: z.string().min(1).max(255).optional(),
    external_user_email: z.email().max(320).optional(),
  })
  .meta({ id: 'ConnectAccount' });
export type ConnectAccount = z.infer<typeof ConnectAccount>;

export const ListAccounts = listQuery({
  platform: PlatformInput.optional(),
  external_user_id: z.string().max(255).optional(),
  status: z.enum(accountStatuses).optional(),
});

export const connectSessionStatuses = ['pending', 'completed', 'expired', 'canceled'] as const;
export type ConnectSessionStatus = (typeof connectSessionStatuses)[number];

export const CreateConnectSession = z
  .strictObject({
    platform: PlatformInput,
    external_user_id: z.string().min(1).max(255),
    external_user_email: z.email().max(320).optional(),
    return_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional(),
  })
  .meta({ id: 'CreateConnectSession' });
export type CreateConnectSession = z.infer<typeof CreateConnectSession>;

export const ConnectSession = z
  .object({
    id: z.string(),
    url: z
      .string()
      .nullable()
      .meta({ description: 'The hosted page. Null once the session has ended.' }),
    platform: PlatformName,
    external_user_id: z.string(),
    status: z.enum(connectSessionStatuses),
    expires_at: Timestamp,
    completed_social_account_id: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'ConnectSession' });
export type ConnectSession = z.infer<typeof ConnectSession>;
