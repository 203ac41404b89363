// Operations on webhooks: create, read, change, rotate the secret, delete.
import { sql } from 'kysely';
import { generateWebhookSecret, secretPreview } from '../../activities/delivering/signature.ts';
import { inMs } from '../../schema/database/database-clock.ts';
import { concludeWaiting } from '../../schema/database/webhooks/waiting-deliveries.ts';
import {
  countWebhooks,
  getWebhookRow,
  insertWebhook,
  listWebhookRows,
  listWebhooksById,
  lockWebhook,
  setWebhook,
  type WebhookHealth,
} from '../../schema/database/webhooks/webhooks.ts';
import type { WebhookRow } from '../../schema/database/tables.ts';
import { sealWebhookSecret } from '../../schema/database/webhooks/secrets.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import { present } from '../../schema/wire/present.ts';
import {
  Webhook,
  type CreateWebhook,
  type RotateWebhook,
  type UpdateWebhook,
  type WebhookWithSecret,
} from '../../schema/webhooks.ts';
import type { Caller, Context } from '../http/context.ts';
import { byIds, page } from '../http/listing.ts';
import { transact, type Answer } from '../http/transact.ts';

export async function createWebhook(
  context: Context,
  caller: Caller,
  input: CreateWebhook,
): Promise<Answer<WebhookWithSecret>> {
  await checkUrl(context, caller, input.url);
  return transact(context, caller, async ({ trx, change }) => {
    const { maxWebhooks } = context.config;
    if ((await countWebhooks(trx, caller.projectId)) >= maxWebhooks) {
      throw new AppError('conflict', `A project has at most ${countOf(maxWebhooks, 'webhook')}.`, {
        hint: 'Delete a webhook that you no longer use, or ask the operator for more.',
        details: { limit: maxWebhooks },
      });
    }
    const id = newId('webhook');
    const { secret, columns } = newSecret(context, id);
    const row = await insertWebhook(trx, {
      id,
      project_id: caller.projectId,
      environment: caller.environment,
      name: input.name ?? null,
      url: input.url,
      events: [...new Set(input.events)],
      ...(input.active ? enabled : disabledByUser()),
      ...columns,
    });
    change({ subject: 'webhook', subject_id: id, kind: 'created' });
    const fresh = { ...row, last_delivery_at: null, consecutive_failures: 0 };
    return { status: 201, data: { ...presentWebhook(fresh), secret }, isSecret: true };
  });
}

export async function getWebhook({ db }: Context, caller: Caller, id: string): Promise<Webhook> {
  return presentWebhook(await getWebhookRow(db, caller, id));
}

export function listWebhooks(
  { db }: Context,
  caller: Caller,
  paging: Paging,
): Promise<Page<Webhook>> {
  return page(
    'webhook',
    paging,
    (slice) => listWebhookRows(db, caller, slice),
    (rows) => rows.map(presentWebhook),
  );
}

/** Leaves out deleted webhooks. */
export const findWebhooks = byIds(listWebhooksById, presentWebhook);

export async function updateWebhook(
  context: Context,
  caller: Caller,
  id: string,
  { active, events, ...changes }: UpdateWebhook,
): Promise<Answer<Webhook>> {
  if (changes.url !== undefined) await checkUrl(context, caller, changes.url);
  return transact(context, caller, async ({ trx, change }) => {
    const row = await lockWebhook(trx, caller, id);
    const named = { ...changes, ...(events ? { events: [...new Set(events)] } : {}) };
    if (Object.keys(named).length > 0) {
      await setWebhook(trx, caller.projectId, id, named);
      change({ subject: 'webhook', subject_id: id, kind: 'updated' });
    }
    if (active !== undefined && active !== (row.status === 'active')) {
      await setWebhook(trx, caller.projectId, id, active ? enabledAnew() : disabledByUser());
      change({ subject: 'webhook', subject_id: id, kind: active ? 'enabled' : 'disabled' });
      if (!active) await concludeWaiting(trx, id, 'skipped');
    }
    return { status: 200, data: presentWebhook(await getWebhookRow(trx, caller, id)) };
  });
}

/** During the overlap, both secrets sign. Without an overlap, the old secret stops signing now. */
export function rotateWebhook(
  context: Context,
  caller: Caller,
  id: string,
  { overlap_seconds }: RotateWebhook,
): Promise<Answer<WebhookWithSecret>> {
  return transact(context, caller, async ({ trx, change }) => {
    const row = await lockWebhook(trx, caller, id);
    const { secret, columns } = newSecret(context, id);
    const previous =
      overlap_seconds > 0
        ? {
            previous_secret: row.secret,
            previous_secret_key_id: row.secret_key_id,
            previous_secret_until: inMs(overlap_seconds * 1_000),
          }
        : noPreviousSecret;
    await setWebhook(trx, caller.projectId, id, { ...columns, ...previous });
    change({ subject: 'webhook', subject_id: id, kind: 'rotated' });
    const webhook = presentWebhook(await getWebhookRow(trx, caller, id));
    return { status: 200, data: { ...webhook, secret }, isSecret: true };
  });
}

/** The row stays for its deliveries, without secrets. Waiting deliveries are canceled. */
export function deleteWebhook(context: Context, caller: Caller, id: string): Promise<Answer<null>> {
  return transact(context, caller, async ({ trx, change }) => {
    const { environment } = await lockWebhook(trx, caller, id);
    await setWebhook(trx, caller.projectId, id, {
      deleted_at: databaseNow,
      secret: null,
      secret_key_id: null,
      ...noPreviousSecret,
    });
    await concludeWaiting(trx, id, 'canceled');
    change({ subject: 'webhook', subject_id: id, kind: 'deleted', environment });
    return { status: 204, data: null };
  });
}

/** Leaves out the secret. Only the operation that made the secret adds it. */
function presentWebhook(row: WebhookRow & WebhookHealth): Webhook {
  return present(Webhook, { ...row, active: row.status === 'active' });
}

const addressHint =
  'The operator can allow private addresses, and http to them, with FANFARE_ALLOW_PRIVATE_CIDRS.';

async function checkUrl({ guard }: Context, { projectId }: Caller, url: string): Promise<void> {
  const checked = await guard.check(url, projectId);
  if (checked.ok) return;
  const { code, message } = checked;
  // The hint also helps with `not_https`, because the ranges that the operator allows also allow http.
  const isAboutAddress = code === 'blocked_address' || code === 'not_https';
  throw validationError(
    [{ path: ['url'], code, message }],
    isAboutAddress ? addressHint : undefined,
  );
}

function newSecret({ vault }: Context, webhookId: string) {
  const secret = generateWebhookSecret();
  const columns = {
    ...sealWebhookSecret(vault, webhookId, secret),
    secret_preview: secretPreview(secret),
  };
  return { secret, columns };
}

const noPreviousSecret = {
  previous_secret: null,
  previous_secret_key_id: null,
  previous_secret_until: null,
};

/** The database's clock, because the engine compares these times with times of the database. */
const databaseNow = sql<Date>`clock_timestamp()`;

const enabled = { status: 'active', disabled_reason: null, disabled_at: null } as const;

function disabledByUser() {
  return { status: 'disabled', disabled_reason: 'user', disabled_at: databaseNow } as const;
}

/** Starts a new count of failures. */
function enabledAnew() {
  return { ...enabled, enabled_at: databaseNow, failing_since: null };
}
