// Connected social accounts and the sessions in which users connect them, as the wire shows them.
import { z } from 'zod';
import { KeyEnvironment } from './api-keys.ts';
import { fixedLimits } from './wire/limits.ts';
import { AccountPlatform, GivenPlatform } from './platforms/index.ts';
import { describedEnum, meaningsOf } from './wire/described-enum.ts';
import { listQuery, maxPageSize } from './wire/listing.ts';
import {
  AccountName,
  CreatedAt,
  ExternalUserId,
  GivenName,
  GivenUserEmail,
  GivenUserId,
  Id,
  JsonObject,
  SocialAccountId,
  queryFlag,
} from './wire/shared-fields.ts';
import { someChange } from './wire/some-change.ts';
import type { Text } from './wire/names.ts';
import { GivenTime, Timestamp } from './wire/timestamp.ts';

export const ConnectionType = describedEnum('ConnectionType', 'How the account was connected.', {
  managed: 'The user connected the account on the hosted page.',
  byo: 'You connected the account with credentials of your own.',
});
export type ConnectionType = z.infer<typeof ConnectionType>;

export const AccountStatus = describedEnum('AccountStatus', 'Account status.', {
  active: 'Accepts posts.',
  reconnect_required:
    'The network no longer grants access. The user must connect the account again.',
  disconnected: 'The account was disconnected and its credentials were deleted.',
});
export type AccountStatus = z.infer<typeof AccountStatus>;

const dayMs = 86_400_000;

/** How long before the end of a login Fanfare warns, if it can't refresh the login. */
export const expiryWarningsMs = { first: 7 * dayMs, last: dayMs } as const;
const expiringDays = expiryWarningsMs.first / dayMs;

export const AccountStatusFilter = describedEnum(
  'AccountStatusFilter',
  'Account status to filter by.',
  {
    ...meaningsOf(AccountStatus),
    expiring: `Active accounts whose login ends within ${expiringDays} days and can't be refreshed. Their \`status\` is \`active\`.`,
  } as Record<AccountStatus | 'expiring', string>,
);
export type AccountStatusFilter = z.infer<typeof AccountStatusFilter>;

const DisconnectReason = describedEnum('DisconnectReason', 'Why the account was disconnected.', {
  user: 'You disconnected the account.',
  token_expired: 'The access token expired and could not be refreshed.',
  revoked: 'The user or the network revoked the access.',
  app_deleted: 'You deleted the app that connected the account.',
});
export type DisconnectReason = z.infer<typeof DisconnectReason>;

const AccountDefaults = z
  .object({
    platform_options: JsonObject.meta({
      description:
        "Options of the account's network, for posts that don't have them. Empty if you set none.",
    }),
  })
  .meta({ id: 'AccountDefaults', description: 'What posts to the account get by default.' });
export type AccountDefaults = z.infer<typeof AccountDefaults>;

export const Account = z
  .object({
    id: Id,
    platform: AccountPlatform,
    account_name: AccountName,
    display_name: z.string().nullable().meta({
      description: 'Your own name for the account. Null if you set none.',
    }),
    external_account_id: z.string().meta({ description: "Account's ID on its network." }),
    external_user_id: ExternalUserId.nullable(),
    external_user_email: z.string().nullable().meta({
      description: 'Email address of the user who owns the account. Null if you set none.',
    }),
    connection_type: ConnectionType,
    status: AccountStatus,
    scope: z.array(z.string()).meta({
      description: 'Permissions that the network granted. Empty if they are unknown.',
    }),
    connected_at: Timestamp.meta({ description: 'Time when the account was last connected.' }),
    token_expires_at: Timestamp.nullable().meta({
      description: 'Time when the access token expires. Null if the network sets no expiry.',
    }),
    defaults: AccountDefaults,
  })
  .meta({ id: 'Account', description: 'A connected social account.' });
export type Account = z.infer<typeof Account>;

/** The account as event data shows it; `reason` only on `account.disconnected`. */
export const AccountEventData = z
  .object({
    social_account_id: SocialAccountId,
    platform: AccountPlatform,
    account_name: AccountName,
    external_user_id: ExternalUserId.nullable(),
    connection_type: ConnectionType,
    reason: DisconnectReason.optional(),
  })
  .meta({ id: 'AccountEventData', description: 'Data of an event about an account.' });
export type AccountEventData = z.infer<typeof AccountEventData>;

export const AccountHealthStatus = describedEnum('AccountHealthStatus', 'Health of an account.', {
  ok: 'The account needs nothing.',
  warning: 'The account still publishes, but will stop unless someone acts.',
  error: "The account can't publish.",
});

export const AccountIssueCode = describedEnum(
  'AccountIssueCode',
  'What is wrong with an account.',
  {
    disconnected: 'The account was disconnected.',
    reconnect_required: 'The network no longer grants access, or the app was deleted.',
    token_expired: "The login has ended and can't be refreshed.",
    token_expiring: `The login ends within ${expiringDays} days and can't be refreshed.`,
    refresh_failing: 'The network has not refreshed the login several times in a row.',
  },
);

const AccountIssue = z
  .object({
    code: AccountIssueCode,
    message: z.string().meta({ description: 'What is wrong, and the next step.' }),
  })
  .meta({ id: 'AccountIssue', description: 'An issue of an account.' });
export type AccountIssue = z.infer<typeof AccountIssue>;

export const AccountHealth = z
  .object({
    social_account_id: SocialAccountId,
    platform: AccountPlatform,
    account_name: AccountName,
    status: AccountHealthStatus,
    issues: z.array(AccountIssue).meta({ description: 'Issues of the account. Empty if `ok`.' }),
    token_expires_at: Timestamp.nullable().meta({
      description:
        'Time when the access token expires. Null if the network sets no expiry. Fanfare refreshes it before, if the network allows that.',
    }),
    last_successful_post_at: Timestamp.nullable().meta({
      description: "Time when the account's last post was published. Null if there is none.",
    }),
  })
  .meta({ id: 'AccountHealth', description: 'Whether an account can publish, now and soon.' });
export type AccountHealth = z.infer<typeof AccountHealth>;

export const UsageMonth = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, YYYY-MM')
  .meta({ description: 'Calendar month in UTC, as `YYYY-MM`.', example: '2026-01' });

const published = z.int().meta({
  description:
    'Number of targets in the month: published, being published or scheduled. Targets that failed or were canceled before they were public do not count.',
});

/** How many targets an account publishes in a month. */
export const AccountUsage = z
  .object({
    month: UsageMonth,
    published,
    limit: z
      .int()
      .nullable()
      .meta({ description: 'Monthly limit of targets. Null if there is no limit.' }),
    warning_at: z
      .int()
      .nullable()
      .meta({
        description: `Count that triggers the warning: ${fixedLimits.accountWarningPercent}% of the limit. Null if there is no limit.`,
      }),
    warned_at: Timestamp.nullable().meta({
      description: 'Time when the count triggered the warning. Null until then.',
    }),
    exceeded_at: Timestamp.nullable().meta({
      description: 'Time when the count reached the limit. Null until then.',
    }),
  })
  .meta({ id: 'AccountUsage', description: "An account's use of its monthly limit." });
export type AccountUsage = z.infer<typeof AccountUsage>;

export const GetAccountUsage = z.strictObject({
  month: UsageMonth.optional().meta({
    description: 'Calendar month in UTC, as `YYYY-MM`. Default: the current month.',
  }),
});
export type GetAccountUsage = z.infer<typeof GetAccountUsage>;

/** An account near or at its monthly limit, as event data shows it. */
export const QuotaEventData = AccountEventData.omit({ reason: true })
  .extend({
    month: UsageMonth,
    published,
    limit: z.int().meta({ description: 'Monthly limit of targets.' }),
  })
  .meta({
    id: 'QuotaEventData',
    description: "Data of an event about an account's monthly limit.",
  });
export type QuotaEventData = z.infer<typeof QuotaEventData>;

export const ConnectAccount = z
  .strictObject({
    platform: GivenPlatform.meta({ description: 'Network of the account.' }),
    credentials: z.record(z.string(), z.string().max(4096)).meta({
      description:
        "Credentials that the network asks for. Their JSON Schema is in `connect.credentials` of the network's capabilities.",
    }),
    external_user_id: GivenUserId.optional(),
    external_user_email: GivenUserEmail.optional(),
  })
  .meta({ id: 'ConnectAccount', description: 'An account to connect with credentials.' });
export type ConnectAccount = z.infer<typeof ConnectAccount>;

const ImportedToken = z
  .string()
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, 'must have printable ASCII characters without spaces');

export const ImportAccount = z
  .strictObject({
    platform: GivenPlatform.meta({ description: 'Network of the account.' }),
    access_token: ImportedToken.meta({ description: 'Access token that your own app obtained.' }),
    refresh_token: ImportedToken.optional().meta({
      description:
        'Refresh token that came with the access token. It works only with the app that obtained it, so set that app at the network first.',
    }),
    expires_at: GivenTime.optional().meta({
      description: 'Time when the access token expires. Default: it does not expire.',
    }),
    scope: z.array(z.string().min(1).max(255)).max(100).optional().meta({
      description:
        'Permissions of the token. Default: as the network reports them, otherwise unknown.',
    }),
    instance: z.string().min(1).max(300).optional().meta({
      description:
        "Address of the account's server. Required at Mastodon. Other networks take none.",
    }),
    external_account_id: z.string().min(1).max(2048).optional().meta({
      description: "Account's ID on its network. Required if the token reaches several accounts.",
    }),
    external_user_id: GivenUserId.optional(),
    external_user_email: GivenUserEmail.optional(),
  })
  .meta({ id: 'ImportAccount', description: 'An account to connect with tokens of your own.' });
export type ImportAccount = z.infer<typeof ImportAccount>;

const AccountDefaultsInput = z
  .strictObject({
    platform: GivenPlatform.optional().meta({
      description: 'Network that `platform_options` is meant for. The account must belong to it.',
    }),
    platform_options: JsonObject.meta({
      description:
        "Options of the account's network. They replace all defaults. An option that is null has no default. At most 10,000 characters as JSON.",
    }),
  })
  .meta({
    id: 'AccountDefaultsInput',
    description:
      "What posts to the account get by default. A post gets each option that it doesn't have, when it leaves draft. Later changes of the defaults don't reach it.",
  });

export const UpdateAccount = someChange(
  z.strictObject({
    display_name: GivenName.nullable().optional().meta({
      description: 'Your own name for the account. Null removes it.',
    }),
    external_user_id: GivenUserId.nullable().optional().meta({
      description:
        'ID, in your system, of the user who owns the account. A change removes the email address, which belongs to its user. Null means that the account has no user.',
    }),
    defaults: AccountDefaultsInput.optional(),
  }),
).meta({
  id: 'UpdateAccount',
  description: 'Changes to an account. Omitted fields stay as they are.',
});
export type UpdateAccount = z.infer<typeof UpdateAccount>;
export type GivenAccountDefaults = z.infer<typeof AccountDefaultsInput>;

export const DisconnectAccount = z.strictObject({
  erase: queryFlag(
    "Whether to also erase the account's name, user and IDs, the network's answers in its results, and its events.",
  ),
});
export type DisconnectAccount = z.infer<typeof DisconnectAccount>;

export const ListAccounts = listQuery(
  {
    platform: GivenPlatform.optional().meta({ description: 'Only accounts of this network.' }),
    external_user_id: GivenUserId.optional().meta({ description: 'Only accounts of this user.' }),
    status: AccountStatusFilter.optional().meta({ description: 'Only accounts with this status.' }),
  },
  maxPageSize,
);

export const ConnectSessionStatus = describedEnum(
  'ConnectSessionStatus',
  'Connect session status.',
  {
    pending: 'The user has not finished.',
    completed: 'The user connected one or more accounts.',
    expired: 'The session expired before the user finished.',
    canceled: 'The user declined.',
  },
);
export type ConnectSessionStatus = z.infer<typeof ConnectSessionStatus>;

export const CreateConnectSession = z
  .strictObject({
    platform: GivenPlatform.optional().meta({
      description: 'Network of the account. Required unless you send `social_account_id`.',
    }),
    external_user_id: GivenUserId.optional().meta({
      description:
        'ID, in your system, of the user who owns the account. Required unless you send `social_account_id`.',
    }),
    external_user_email: GivenUserEmail.optional(),
    social_account_id: z.string().min(1).max(255).optional().meta({
      description:
        'ID of an account to reconnect. The session then connects this account only, and keeps its network and its user.',
    }),
    login: z.string().min(1).max(64).optional().meta({
      description:
        'Login that the page offers, at a network with several. Instagram has `instagram` and `facebook`. Default: the user chooses among those that have an app.',
    }),
    return_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional()
      .meta({
        description:
          "Page that the user returns to at the end. With a production key, its origin must be one of the project's `return_origins`. A loopback address is also allowed while Fanfare's own URL is one. A test key can use any.",
      }),
  })
  .superRefine((input, { addIssue }) => {
    const isReconnect = input.social_account_id !== undefined;
    const add = (name: keyof typeof input, code: string, text: Text) =>
      addIssue({ code: 'custom', path: [name], params: { code, text } });
    for (const name of ['platform', 'external_user_id'] as const) {
      if (isReconnect || input[name] !== undefined) continue;
      add(name, 'required', ({ field }) => `is required without ${field('social_account_id')}`);
    }
    for (const name of ['platform', 'external_user_id', 'external_user_email'] as const) {
      if (!isReconnect || input[name] === undefined) continue;
      add(
        name,
        'set_by_account',
        ({ field }) => `can't be sent with ${field('social_account_id')}`,
      );
    }
  })
  .meta({
    id: 'CreateConnectSession',
    description:
      'A connect session to create: for a `platform` and a user, or for an account to reconnect.',
  });
export type CreateConnectSession = z.infer<typeof CreateConnectSession>;

export const ConnectSession = z
  .object({
    id: Id,
    url: z.string().nullable().meta({
      description:
        'URL of the hosted page. Shown only once, when the session is created. Null afterwards.',
    }),
    platform: AccountPlatform,
    environment: KeyEnvironment.meta({
      description: 'Environment of the API key that created the session.',
    }),
    external_user_id: ExternalUserId.nullable(),
    social_account_id: z.string().nullable().meta({
      description:
        'ID of the account that the session reconnects. Null if it connects other accounts.',
    }),
    login: z.string().nullable().meta({
      description: 'The only login that the page offers. Null if it offers all of the network.',
    }),
    return_url: z.string().nullable().meta({
      description: 'Page that the user returns to at the end. Null if you set none.',
    }),
    status: ConnectSessionStatus,
    expires_at: Timestamp.meta({ description: 'Time when the hosted page expires.' }),
    completed_social_account_id: z.string().nullable().meta({
      description: 'ID of the first account that the user connected. Null until then.',
    }),
    completed_social_account_ids: z.array(z.string()).meta({
      description: 'IDs of the accounts that the user connected. Empty until then.',
    }),
    created_at: CreatedAt,
  })
  .meta({
    id: 'ConnectSession',
    description: 'A hosted page on which a user connects an account.',
  });
export type ConnectSession = z.infer<typeof ConnectSession>;
