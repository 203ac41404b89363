// Encrypts secrets for the database: AES-256-GCM, with the key's id beside the ciphertext.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

export interface Sealed {
  ciphertext: Buffer;
  keyId: string;
}

export interface Vault {
  /** The key that seals new values. */
  readonly keyId: string;
  readonly keyIds: readonly string[];
  hasKey(keyId: string): boolean;
  /**
   * `context` (table and row id) binds the ciphertext to its row, so that it can't be opened in another row.
   */
  seal(plaintext: string, context: string): Sealed;
  open(sealed: Sealed, context: string): string;
}

const ivBytes = 12;
const tagBytes = 16;

/** `keys`: 32 bytes each, by id. New values are sealed with `defaultKeyId`. */
export function createVault(keys: ReadonlyMap<string, Buffer>, defaultKeyId: string): Vault {
  // A Buffer as a key would cost each call four times as much.
  const secrets = new Map([...keys].map(([id, key]) => [id, createSecretKey(key)]));
  const keyOf = (keyId: string) => {
    const key = secrets.get(keyId);
    if (!key) throw new Error(`No key in the vault has the id ${keyId}.`);
    return key;
  };
  keyOf(defaultKeyId);
  return {
    keyId: defaultKeyId,
    keyIds: [...keys.keys()],
    hasKey: (keyId) => keys.has(keyId),
    seal(plaintext, context) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', keyOf(defaultKeyId), iv);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return { ciphertext: Buffer.concat([iv, cipher.getAuthTag(), body]), keyId: defaultKeyId };
    },
    open({ ciphertext, keyId }, context) {
      const iv = ciphertext.subarray(0, ivBytes);
      const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), iv, {
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(ciphertext.subarray(ivBytes, ivBytes + tagBytes));
      decipher.setAAD(Buffer.from(context));
      const body = ciphertext.subarray(ivBytes + tagBytes);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
  };
}

/** Undefined: no key of the vault opens it. */
export function tryOpen(vault: Vault, sealed: Sealed, context: string): string | undefined {
  try {
    return vault.open(sealed, context);
  } catch {
    return undefined;
  }
}
