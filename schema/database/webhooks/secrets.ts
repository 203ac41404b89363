// The signing secrets of webhooks, sealed and opened by the vault.
import type { WebhookRow } from '../tables.ts';
import type { Vault } from '../vault.ts';

export type SecretColumns = Pick<
  WebhookRow,
  | 'id'
  | 'secret'
  | 'secret_key_id'
  | 'previous_secret'
  | 'previous_secret_key_id'
  | 'previous_secret_until'
>;

export function sealWebhookSecret(
  vault: Vault,
  webhookId: string,
  secret: string,
): { secret: Buffer; secret_key_id: string } {
  const sealed = vault.seal(secret, sealContext(webhookId));
  return { secret: sealed.ciphertext, secret_key_id: sealed.keyId };
}

/** Returns the newest secret first, then the previous secret while a rotation overlaps. */
export function openWebhookSecrets(vault: Vault, webhook: SecretColumns, now: Date): string[] {
  const { newest, previous } = openOnce(vault, webhook);
  const isOverlapping = webhook.previous_secret_until && webhook.previous_secret_until > now;
  return isOverlapping ? [...newest, ...previous] : newest;
}

interface OpenedSecrets {
  newest: string[];
  previous: string[];
}

/** The deliveries of a batch share the object of their webhook. Opening costs more than signing. */
const opened = new WeakMap<SecretColumns, OpenedSecrets>();

function openOnce(vault: Vault, webhook: SecretColumns): OpenedSecrets {
  const known = opened.get(webhook);
  if (known) return known;
  const open = (ciphertext: Buffer | null, keyId: string | null) =>
    ciphertext && keyId !== null
      ? [vault.open({ ciphertext, keyId }, sealContext(webhook.id))]
      : [];
  const secrets = {
    newest: open(webhook.secret, webhook.secret_key_id),
    previous: open(webhook.previous_secret, webhook.previous_secret_key_id),
  };
  opened.set(webhook, secrets);
  return secrets;
}

const sealContext = (webhookId: string) => `webhook_subscriptions/${webhookId}`;
