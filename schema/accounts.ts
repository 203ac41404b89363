// Connected social accounts and the sessions in which users connect them, as the wire shows them.
import { z } from 'zod';
import { keyEnvironments } from './api-keys.ts';
import { fixedLimits } from './limits.ts';
import { listQuery } from './wire/listing.ts';
import { PlatformName } from './platforms/index.ts';
import { Timestamp } from './wire/timestamp.ts';

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

export const UsageMonth = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, YYYY-MM')
  .meta({ description: 'A calendar month, UTC.', example: '2026-01' });

/** In the words of both APIs. */
export const publishedMeaning =
  'Targets of the month: published, being published, and scheduled for it. One that fails without being public, or is canceled, is given back.';

export const warningAtMeaning = `The count at which the account is warned: ${fixedLimits.accountWarningPercent} % of the limit. Null: no limit.`;

/** What an account publishes in a month: the targets that were accepted and have not come to nothing. */
export const AccountUsage = z
  .object({
    month: UsageMonth,
    published: z.int().meta({ description: publishedMeaning }),
    limit: z.int().nullable().meta({ description: 'Null: no limit.' }),
    warning_at: z.int().nullable().meta({ description: warningAtMeaning }),
    warned_at: Timestamp.nullable(),
    exceeded_at: Timestamp.nullable().meta({ description: 'When the limit was reached.' }),
  })
  .meta({ id: 'AccountUsage' });
export type AccountUsage = z.infer<typeof AccountUsage>;

export const GetAccountUsage = z.strictObject({
  month: UsageMonth.optional().meta({ description: 'Default: the present month, UTC.' }),
});
export type GetAccountUsage = z.infer<typeof GetAccountUsage>;

/** An account whose usage has come near its limit, or to it, as event data shows it. */
export const QuotaEventData = AccountEventData.omit({ reason: true })
  .extend({ month: UsageMonth, published: z.int(), limit: z.int() })
  .meta({ id: 'QuotaEventData' });
export type QuotaEventData = z.infer<typeof QuotaEventData>;

export const ConnectAccount = z
  .strictObject({
    platform: PlatformName,
    credentials: z.record(z.string(), z.string().max(4096)),
    external_user_id: z.string().min(1).max(255).optional(),
    external_user_email: z.email().max(320).optional(),
  })
  .meta({ id: 'ConnectAccount' });
export type ConnectAccount = z.infer<typeof ConnectAccount>;

export const ListAccounts = listQuery({
  platform: PlatformName.optional(),
  external_user_id: z.string().min(1).max(255).optional(),
  status: z.enum(accountStatuses).optional(),
});

export const connectSessionStatuses = ['pending', 'completed', 'expired', 'canceled'] as const;
export type ConnectSessionStatus = (typeof connectSessionStatuses)[number];

export const CreateConnectSession = z
  .strictObject({
    platform: PlatformName,
    external_user_id: z.string().min(1).max(255),
    external_user_email: z.email().max(320).optional(),
    return_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional(),
  })
  .meta({ id: 'CreateConnectSession' });
export type CreateConnectSession = z.infer<typeof CreateConnectSession>;

/** In the words of both APIs. */
export const connectUrlMeaning =
  'The hosted page. Shown only in the answer that creates the session; null in every other.';

export const ConnectSession = z
  .object({
    id: z.string(),
    url: z.string().nullable().meta({ description: connectUrlMeaning }),
    platform: PlatformName,
    environment: z.enum(keyEnvironments),
    external_user_id: z.string(),
    status: z.enum(connectSessionStatuses),
    expires_at: Timestamp,
    completed_social_account_id: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'ConnectSession' });
export type ConnectSession = z.infer<typeof ConnectSession>;
