// The connector of a running network, made with the settings that an installation would have.
import { connectPlatforms } from '../../../../activities/platforms/index.ts';
import type { Platform } from '../../../../activities/platforms/platform.ts';
import { createSandboxPlatform } from '../../../../activities/platforms/sandbox/index.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import type { PlatformName } from '../../../../schema/platforms/index.ts';
import { txtOf } from '../../servers/bluesky-identity.ts';
import type { Switchboard } from '../faults.ts';
import type { RunningNetwork } from './subject.ts';

export function createConnector(
  name: PlatformName,
  network: Pick<RunningNetwork, 'env' | 'tools'>,
  { fetch }: Pick<Switchboard, 'fetch'>,
): Platform {
  const { platforms } = readConfig(network.env);
  if (name === 'sandbox') {
    const publicUrl = 'http://sandbox.test';
    const { apiUrl } = platforms.sandbox;
    return createSandboxPlatform({ fetch, apiUrl: apiUrl!, publicUrl, partBytes: 4_096 });
  }
  const tools = {
    fetch,
    lookUpTxt: txtOf({}),
    withWebSocket: () => Promise.reject(new Error('The subject brings no WebSockets.')),
    ...network.tools,
  };
  return connectPlatforms(platforms, tools).find(({ definition }) => definition.name === name)!;
}
