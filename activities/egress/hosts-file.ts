// Names that the machine resolves without DNS: its hosts file, and `localhost`.
import type { LookupAddress } from 'node:dns';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';

const systemPath =
  process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
/** RFC 6761: `localhost` is loopback, even if a name server disagrees. */
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Returns no address if the machine doesn't know the name. Reads the file again when it has changed. */
export function createHostsLookup(path = systemPath) {
  let entries = new Map<string, LookupAddress[]>();
  let readAt = Number.NaN;

  async function refresh(): Promise<void> {
    const { mtimeMs } = await stat(path);
    if (mtimeMs === readAt) return;
    entries = parseHosts(await readFile(path, 'utf8'));
    readAt = mtimeMs;
  }

  return async (hostname: string): Promise<readonly LookupAddress[]> => {
    // The file may not exist.
    await refresh().catch(() => undefined);
    return entries.get(hostname) ?? (hostname === 'localhost' ? loopback : []);
  };
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const entries = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      entries.set(name, [...(entries.get(name) ?? []), { address, family }]);
    }
  }
  return entries;
}
