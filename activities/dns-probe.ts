// Asks the name servers for a name over the event loop, only to see whether they answer at all.
import { Resolver } from 'node:dns/promises';

export interface ProbeOptions {
  /** Name servers as `address:port`; default: the system's. */
  servers?: readonly string[];
  timeoutMs?: number;
}

/** Time for a second question, should the first be lost. */
const questionTimeoutMs = 600;

/**
 * "No such name" is an answer too: the system may know the name from elsewhere. Both families are
 * asked for, as the system's resolver waits for both.
 */
export async function isAnswered(hostname: string, options: ProbeOptions = {}): Promise<boolean> {
  // A new one each time, as the system's name servers change with the network.
  const resolver = new Resolver({ timeout: questionTimeoutMs, tries: 2 });
  if (options.servers) resolver.setServers(options.servers);
  const timer = setTimeout(() => resolver.cancel(), options.timeoutMs ?? 2_000);
  try {
    const answers = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    const codes = await Promise.all(answers.map((answer) => answer.then(() => null, toCode)));
    return !codes.some((code) => code === 'ETIMEOUT' || code === 'ECANCELLED');
  } finally {
    clearTimeout(timer);
  }
}

function toCode(error: NodeJS.ErrnoException): string | undefined {
  return error.code;
}
