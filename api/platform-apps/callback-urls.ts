// The URLs that an app has to name in its settings at its network.
import type { PlatformAppRow } from '../../schema/database/tables.ts';
import type { AppCallbackUrls } from '../../schema/platform-apps.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';
import { callbackUrlOf } from '../connect/consent.ts';

export function callbackUrlsOf(
  publicUrl: string,
  { platform, inbound_key }: Pick<PlatformAppRow, 'platform' | 'inbound_key'>,
): AppCallbackUrls {
  const { userCallbacks } = platformDefinitions.find(({ name }) => name === platform)!;
  const inbound = userCallbacks && `${publicUrl}/inbound/${userCallbacks}/${inbound_key}`;
  return {
    redirect: callbackUrlOf({ publicUrl }),
    deauthorize: userCallbacks === 'meta' ? `${inbound}/deauthorize` : null,
    data_deletion: userCallbacks === 'meta' ? `${inbound}/data-deletion` : null,
    webhook: userCallbacks === 'tiktok' ? inbound! : null,
  };
}
