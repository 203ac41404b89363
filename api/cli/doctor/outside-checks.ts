// What `doctor` checks outside the database: backends, and the certificate of the public URL.
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { checkMediaFolder } from '../../../activities/media/store/marker.ts';
import { checkStore } from '../../../activities/media/store/open.ts';
import type { Config } from '../../../schema/config/config.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { awaitTemporal } from '../await-backend.ts';
import { ok, warning } from './finding.ts';

const withinMs = 5_000;
const dayMs = 86_400_000;
const certificateDays = 14;

export async function checkTemporal(config: Config) {
  const { address } = config.temporal;
  // `start` runs its own.
  if (address === undefined) return undefined;
  const { signal } = new AbortController();
  await awaitTemporal({ address, config }, { report: () => undefined, signal, withinMs: 0 });
  return ok(`It answers at ${address}.`);
}

export async function checkMedia(db: Db, { media }: Config) {
  if (media.url === undefined) return undefined;
  await checkMediaFolder(db, media.url);
  await checkStore(media.url);
  return ok('The media store can be used.');
}

export async function checkCertificate(publicUrl: string | undefined, now: Date) {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (url?.protocol !== 'https:') return undefined;
  const expiresAt = await readExpiry(url);
  const days = Math.floor((expiresAt.getTime() - now.getTime()) / dayMs);
  const message = `The certificate of ${url.host} expires on ${expiresAt.toISOString().slice(0, 10)}.`;
  if (days < 0) throw new Error(message);
  return days < certificateDays ? warning(message) : ok(message);
}

/** Throws if the certificate isn't valid for the host. */
async function readExpiry({ hostname, port }: URL): Promise<Date> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const name = isIP(host) ? {} : { servername: host };
  const socket = connect({ host, port: Number(port || 443), ...name });
  const timer = setTimeout(() => socket.destroy(new Error('no connection within 5 s')), withinMs);
  try {
    await once(socket, 'secureConnect');
    return new Date(socket.getPeerCertificate().valid_to);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
