// What a network needs to remember about a target between its calls. Only the vault seals and opens it.
import type { PostResultRow } from '../tables.ts';
import type { Vault } from '../vault.ts';

export type SealedState = Pick<PostResultRow, 'provider_state' | 'provider_state_key_id'>;

export const emptyState: SealedState = { provider_state: null, provider_state_key_id: null };

export function sealState(
  vault: Vault,
  resultId: string,
  state: Record<string, unknown>,
): SealedState {
  if (Object.keys(state).length === 0) return emptyState;
  const { ciphertext, keyId } = vault.seal(JSON.stringify(state), sealContext(resultId));
  return { provider_state: ciphertext, provider_state_key_id: keyId };
}

/** Throws if the vault can't open the state, since an empty one would make the network start over. */
export function openState(
  vault: Vault,
  { id, provider_state: ciphertext, provider_state_key_id: keyId }: SealedState & { id: string },
): Record<string, unknown> {
  if (ciphertext === null || keyId === null) return {};
  try {
    return JSON.parse(vault.open({ ciphertext, keyId }, sealContext(id))) as Record<
      string,
      unknown
    >;
  } catch (cause) {
    throw new Error(`The provider state of ${id} is unavailable: it can't be opened.`, { cause });
  }
}

/** Bytes in JSON, as Postgres reads them. */
export const toHex = (bytes: Buffer | null): string | null =>
  bytes && `\\x${bytes.toString('hex')}`;

const sealContext = (resultId: string) => `post_results/${resultId}`;
