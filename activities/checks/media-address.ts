// Fetches the image of a check at its public address, as a network does: without following redirects.
import type { RunningCheck } from '../../schema/database/accounts/checks.ts';
import { checkImage } from '../media/check-image.ts';
import { toTransportError } from '../platforms/transport-errors.ts';
import { fail, pass, type Taken } from './check-run.ts';
import type { CheckDependencies } from './dependencies.ts';

const timeoutMs = 20_000;
const validForMs = 60_000;

export async function checkMediaAddress(
  { publicUrls, safeFetch }: Pick<CheckDependencies, 'publicUrls' | 'safeFetch'>,
  { id, project_id: projectId }: Pick<RunningCheck, 'id' | 'project_id'>,
): Promise<Taken> {
  const { id: mediaId, contentType, bytes } = checkImage;
  const url = publicUrls.urlOf({ projectId, resultId: id, mediaId }, contentType, validForMs);
  const { origin } = new URL(url);
  try {
    const response = await safeFetch.fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    const { status, headers } = response;
    const answered = Buffer.from(await response.arrayBuffer());
    if (status >= 300 && status <= 399) {
      return failed(`${origin} redirects (HTTP ${status}), which networks don't follow.`);
    }
    if (status !== 200) return failed(`${origin} answers with HTTP ${status}.`);
    const isSame = answered.equals(bytes) && headers.get('content-type') === contentType;
    return isSame ? pass() : failed(`${origin} answers with something else than the image.`);
  } catch (error) {
    return failed(toTransportError(error, 'other', url).message);
  }
}

const failed = (found: string) =>
  fail('media_not_public', `Fanfare can't fetch its own media. ${found}`);
