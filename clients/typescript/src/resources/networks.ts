// The networks of the installation, and your own apps at them.
import type { Calls } from '../calls.ts';
import type { Body } from '../operations.ts';
import { path, type CallOptions } from '../send.ts';

export function createPlatforms({ list }: Calls) {
  return {
    capabilities: (options?: CallOptions) =>
      list<'listCapabilities'>('/v1/platforms/capabilities', undefined, options),
  };
}

export function createPlatformCredentials({ one, list, removal }: Calls) {
  return {
    list: (options?: CallOptions) =>
      list<'listPlatformApps'>('/v1/platform-credentials', undefined, options),

    get: (platform: string, options?: CallOptions) =>
      one<'getPlatformApp'>('GET', path`/v1/platform-credentials/${platform}`, {}, options),

    set: (platform: string, app: Body<'setPlatformApp'>, options?: CallOptions) =>
      one<'setPlatformApp'>(
        'PUT',
        path`/v1/platform-credentials/${platform}`,
        { body: app },
        options,
      ),

    /** With `force`, also while accounts use the app. */
    delete: (platform: string, { force, ...options }: CallOptions & { force?: boolean } = {}) =>
      removal('DELETE', path`/v1/platform-credentials/${platform}`, { query: { force } }, options),
  };
}
