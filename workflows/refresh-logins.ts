// Refreshes logins before they expire, and warns of logins that can't be refreshed. Started by a schedule of
// Temporal.
import { refreshDue, warnOfExpiry } from './activities.ts';

/** A low number keeps the history short. The next run continues. */
const maxGroups = 200;

export async function refreshLogins(): Promise<void> {
  for (let group = 0; group < maxGroups; group++) {
    if (!(await warnOfExpiry())) break;
  }
  let except: string[] = [];
  for (let group = 0; group < maxGroups; group++) {
    const { isLeft, away } = await refreshDue({ except });
    if (!isLeft) return;
    except = [...except, ...away];
  }
}
