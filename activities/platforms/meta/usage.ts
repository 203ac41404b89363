// Reads from answers of the Graph API how long a limit lasts.
import { z } from 'zod';
import { parseJson } from '../json-client.ts';

/** Minutes. https://developers.facebook.com/docs/graph-api/overview/rate-limiting#headers-2 */
const Usage = z.record(
  z.string(),
  z.array(z.object({ estimated_time_to_regain_access: z.number().optional() })),
);

/** Undefined: the answer doesn't say. */
export function readRegainMs(headers: Headers): number | undefined {
  const { data = {} } = Usage.safeParse(parseJson(headers.get('x-business-use-case-usage') ?? ''));
  const minutes = Object.values(data).flatMap((uses) =>
    uses.map(({ estimated_time_to_regain_access: each = 0 }) => each),
  );
  const most = Math.max(0, ...minutes);
  return most > 0 ? most * 60_000 : undefined;
}
