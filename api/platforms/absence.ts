// Why this installation doesn't have a network, for a request that names it.
import { absenceOf, type Platforms } from '../../activities/platforms/index.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';

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
