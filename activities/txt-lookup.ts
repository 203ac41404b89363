// TXT records, asked for over the event loop: no thread waits for a name that nobody answers for.
import { Resolver } from 'node:dns/promises';

/** The records, each as one text; null: the name has none. Rejects when nobody answers. */
export type LookUpTxt = (name: string) => Promise<string[] | null>;

/** Time for a second question, should the first be lost. */
const questionTimeoutMs = 1_000;
const timeoutMs = 2_500;

/** Codes of c-ares that mean "there is no such record". */
const absentCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY']);

/** `servers`: name servers as `address:port`; default: the system's. */
export async function lookUpTxt(
  name: string,
  servers: readonly string[] = [],
): Promise<string[] | null> {
  // A new one each time, as the system's name servers change with the network.
  const resolver = new Resolver({ timeout: questionTimeoutMs, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && absentCodes.has(code)) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
