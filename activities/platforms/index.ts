// The registry: every network that this installation publishes to.
import type { PlatformName } from '../../schema/platforms.ts';
import type { Platform } from './platform.ts';

export type Platforms = ReadonlyMap<PlatformName, Platform>;

export function createPlatforms(platforms: readonly Platform[]): Platforms {
  return new Map(platforms.map((platform) => [platform.name, platform]));
}
