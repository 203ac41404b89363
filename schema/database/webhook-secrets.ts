// The signing secrets of webhooks: into their columns and out of them through the vault only.
import type { WebhookRow } from './database.ts';
import type { Vault } from './vault.ts';

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

/** The newest first; the previous one too while a rotation overlaps. */
export function openWebhookSecrets(vault: Vault, webhook: SecretColumns, now: Date): string[] {
  const open = (ciphertext: Buffer | null, keyId: string | null) =>
    ciphertext && keyId !== null
      ? [vault.open({ ciphertext, keyId }, sealContext(webhook.id))]
      : [];
  const isOverlapping = webhook.previous_secret_until && webhook.previous_secret_until > now;
  return [
    ...open(webhook.secret, webhook.secret_key_id),
    ...(isOverlapping ? open(webhook.previous_secret, webhook.previous_secret_key_id) : []),
  ];
}

const sealContext = (webhookId: string) => `webhook_subscriptions/${webhookId}`;
