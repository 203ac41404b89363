// A database behind the silent proxy.
import type { SilentProxy } from '../../chaos/silent-proxy.ts';

/** The same address, but through the proxy. */
export function throughProxy(url: string, { port }: SilentProxy): string {
  const proxied = new URL(url);
  proxied.port = String(port);
  return proxied.href;
}
