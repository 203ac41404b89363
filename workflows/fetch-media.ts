// Fetches media from their URL until they are usable, or have failed.
import { continueAsNew, sleep } from '@temporalio/workflow';
import type { FetchMediaInput } from '../schema/workflows.ts';
import { fetchBytes } from './activities.ts';

/** This number makes about 1,000 events of history. */
const maxFetches = 100;

export async function fetchMedia(input: FetchMediaInput): Promise<void> {
  for (let count = 0; count < maxFetches; count++) {
    const waitMs = await fetchBytes(input);
    if (waitMs === null) return;
    await sleep(waitMs);
  }
  await continueAsNew<typeof fetchMedia>(input);
}
