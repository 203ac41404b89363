// Why this installation doesn't have a network, for a request that names it.
import { absenceOf, type Platforms } from '../../activities/platforms/index.ts';
import type { Platform } from '../../activities/platforms/platform.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import { AppError } from '../../schema/wire/errors.ts';

/** `otherwise`: the message if the reason is not known. */
export function explainAbsence(
  platforms: Platforms,
  name: PlatformName,
  otherwise: string,
): { code: string; message: string } {
  const code = absenceOf(platforms, name);
  const noAddress = `${name} fetches media, and this installation has no public address for them.`;
  return { code, message: code === 'media_not_public' ? noAddress : otherwise };
}

/** Finds the network of an account. Throws if this installation doesn't have the network. */
export function requirePlatform(platforms: Platforms, name: PlatformName): Platform {
  const platform = platforms.get(name);
  if (platform) return platform;
  throw absentPlatform(platforms, name);
}

export function absentPlatform(platforms: Platforms, name: PlatformName): AppError {
  const otherwise = `This installation does not publish to ${name}.`;
  return new AppError('conflict', explainAbsence(platforms, name, otherwise).message);
}
