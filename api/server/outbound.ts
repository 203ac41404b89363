// The parts that call other hosts: the URL guard, the guarded client and the networks.
import { createDns } from '../../activities/egress/dns.ts';
import { currentOwner } from '../../activities/egress/guarded-fetch.ts';
import { createSafeFetch } from '../../activities/egress/client.ts';
import { createUrlGuard } from '../../activities/egress/url-guard.ts';
import { connectPlatforms, createPlatforms } from '../../activities/platforms/index.ts';
import type { Platform } from '../../activities/platforms/platform.ts';
import { canFetchMedia } from '../../activities/platforms/public-urls.ts';
import { createSandboxPlatform } from '../../activities/platforms/sandbox/index.ts';
import type { Config } from '../../schema/config/config.ts';

/** `port` and `publicUrl`: where this process serves the sandbox. `mediaUrl`: where networks fetch media. */
export function createOutbound(
  config: Config,
  port: number,
  publicUrl: string,
  mediaUrl = publicUrl,
) {
  const dns = createDns({ servers: config.dnsServers });
  const guard = createUrlGuard({
    allowPrivateCidrs: config.allowPrivateCidrs,
    lookup: dns.addresses,
  });
  const safeFetch = createSafeFetch({
    guard,
    connectionsPerOrigin: config.deliveriesPerEndpoint,
    // Every caller has its own time limit. The longest is the one for the refresh of a login, with 50 s.
    fetchDeadlineMs: 60_000,
  });
  const sandboxUrl = config.platforms.sandbox.apiUrl ?? `http://127.0.0.1:${port}/sandbox`;
  const networks = connectPlatforms(config.platforms, {
    fetch: safeFetch.fetch,
    withWebSocket: safeFetch.withWebSocket,
    lookUpTxt: (name) => dns.texts(name, currentOwner()),
  });
  const isOn = ({ definition }: Platform) =>
    canFetchMedia(definition, config.platforms[definition.name], mediaUrl);
  const hasImages = ({ definition: { name, fetchesImages = false } }: Platform) =>
    canFetchMedia({ needsPublicMedia: fetchesImages }, config.platforms[name], mediaUrl);
  const namesWithout = (can: (network: Platform) => boolean) =>
    networks.filter((network) => !can(network)).map(({ definition }) => definition.name);
  const platforms = createPlatforms(
    [
      ...(config.hasSandbox
        ? [createSandboxPlatform({ fetch, apiUrl: sandboxUrl, publicUrl: `${publicUrl}/sandbox` })]
        : []),
      ...networks.filter(isOn),
    ],
    namesWithout(isOn),
    namesWithout(hasImages),
  );
  return { guard, safeFetch, platforms };
}
