// The private key of an account, and the relays that its posts go to.
import { decode } from 'nostr-tools/nip19';
import { getPublicKey } from 'nostr-tools/pure';
import { z } from 'zod';
import type { Credentials } from '../platform.ts';

const maxRelays = 10;
/** The relay strfry has this limit, `maxTagValSize`. Events name relays in tags. */
export const maxRelayChars = 255;

export const ConnectInput: z.ZodType<Credentials> = z
  .strictObject({
    private_key: z
      .string()
      .transform((text) => toHexKey(text.trim()))
      .refine((key) => key !== '', 'must be a private key: nsec1…, or 64 hexadecimal digits')
      .meta({
        title: 'Private key',
        'x-secret': true,
        description: 'It begins with `nsec1`. Anyone who has it can post as you.',
      }),
    relays: z
      .string()
      .transform((text) => text.split(/[\s,]+/).filter(Boolean))
      .refine(({ length }) => length > 0 && length <= maxRelays, `must be 1 to ${maxRelays} relays`)
      .transform((given, context) => {
        const wrong = given.filter((relay) => !toRelay(relay)).join(', ');
        if (wrong)
          context.addIssue(`must be URLs such as wss://relay.example.com, unlike ${wrong}`);
        return [...new Set(given.map(toRelay))].join(' ');
      })
      .meta({
        title: 'Relays',
        description: `1 to ${maxRelays} URLs that begin with wss://, separated by spaces or commas.`,
        'x-multiline': true,
      }),
  })
  .meta({ description: 'Your Nostr app shows your private key and your relays in its settings.' });

/** Empty if the private key is invalid. */
function toHexKey(text: string): string {
  try {
    const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : decode(text).data;
    return key instanceof Uint8Array && getPublicKey(key) ? Buffer.from(key).toString('hex') : '';
  } catch {
    return '';
  }
}

function toRelay(text: string): string | undefined {
  const url = /^wss?:\/\/[^/@#]+(\/[^#]*)?$/i.test(text) ? URL.parse(text) : null;
  return url && text.length <= maxRelayChars ? url.href.replace(/\/$/, '') : undefined;
}
