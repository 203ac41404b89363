// The vault: a sealed value opens only with its key and in its own column.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createVault } from '../../schema/database/vault.ts';

const oldKey = randomBytes(32);
const newKey = randomBytes(32);
const vault = createVault(new Map([['new', newKey]]), 'new');

describe('vault', () => {
  test('opens a value that it sealed', () => {
    for (const text of ['', 'secret', 'пароль 🎺', 'x'.repeat(100_000)]) {
      expect(vault.open(vault.seal(text, 'accounts/sa_1'), 'accounts/sa_1')).toBe(text);
    }
  });

  test('seals the same text differently every time, and shows nothing of it', () => {
    const first = vault.seal('correct horse battery staple', 'a');
    const second = vault.seal('correct horse battery staple', 'a');
    expect(first.ciphertext.equals(second.ciphertext)).toBe(false);
    expect(first.ciphertext.toString('latin1')).not.toContain('horse');
  });

  test('does not open a ciphertext moved to another place', () => {
    const sealed = vault.seal('secret', 'accounts/sa_1');
    expect(() => vault.open(sealed, 'accounts/sa_2')).toThrow();
  });

  test('does not open a changed ciphertext', () => {
    const sealed = vault.seal('secret', 'a');
    for (let i = 0; i < sealed.ciphertext.length; i++) {
      const changed = Buffer.from(sealed.ciphertext);
      changed[i]! ^= 1;
      expect(() => vault.open({ ...sealed, ciphertext: changed }, 'a')).toThrow();
    }
    const cut = sealed.ciphertext.subarray(0, sealed.ciphertext.length - 1);
    expect(() => vault.open({ ...sealed, ciphertext: cut }, 'a')).toThrow();
  });

  test('opens with an old key and seals with the default one', () => {
    const before = createVault(new Map([['old', oldKey]]), 'old').seal('secret', 'a');
    const both = createVault(
      new Map([
        ['new', newKey],
        ['old', oldKey],
      ]),
      'new',
    );
    expect(both.open(before, 'a')).toBe('secret');
    expect(both.seal('secret', 'a').keyId).toBe('new');
  });

  test('names the key that it lacks', () => {
    const sealed = createVault(new Map([['old', oldKey]]), 'old').seal('secret', 'a');
    expect(() => vault.open(sealed, 'a')).toThrow('old');
    expect(() => createVault(new Map(), 'missing')).toThrow('missing');
  });
});
