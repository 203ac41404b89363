// What a network answers, as it enters the engine: only what can be stored, and no more than is shown.
import type { PhaseOutcome } from './call-phase.ts';
import type { ProviderState, Published } from './platforms/platform.ts';
import { PlatformError } from './platforms/platform-error.ts';
import { cutJson, cutText } from './storable.ts';

const maxMessageChars = 1_000;
const maxCodeChars = 200;
const maxIdChars = 512;
const maxUrlChars = 2_048;
const maxErrorBytes = 4_096;
const maxStateBytes = 65_536;
/** Says of a network's own answer that it was longer. */
const cutMark = { is_cut: true };

/** The error with words, codes and an answer that can be kept. */
export function takeError(error: PlatformError): PlatformError {
  const { platformCode, providerError, ...options } = error.options;
  return new PlatformError(error.kind, cutText(error.message, maxMessageChars), {
    ...options,
    platformCode: platformCode && cutText(platformCode, maxCodeChars),
    providerError: providerError && takeProviderError(providerError),
  });
}

/** What shows no post is an outcome that nobody knows yet. */
export function takeOutcome(outcome: PhaseOutcome): PhaseOutcome {
  switch (outcome.outcome) {
    case 'published': {
      const published = takePublished(outcome.published);
      return published ? { ...outcome, published } : { outcome: 'unknown' };
    }
    case 'accepted': {
      const state = takeState(outcome.state);
      return state ? { ...outcome, state } : { outcome: 'unknown' };
    }
    case 'prepared': {
      const state = takeState(outcome.state);
      if (state) return { ...outcome, state };
      throw new PlatformError('unavailable', 'The network answered more than can be kept.');
    }
    case 'absent':
    case 'unknown':
      return outcome;
  }
}

/** Undefined: without an id it proves nothing. */
function takePublished({ externalId, url }: Published): Published | undefined {
  const id = cutText(externalId, maxIdChars);
  return id.trim() === '' ? undefined : { externalId: id, url: url === null ? null : takeUrl(url) };
}

/** Pages show it as a link. */
function takeUrl(url: string): string | null {
  const { protocol } = URL.parse(url) ?? {};
  const isLink = protocol === 'https:' || protocol === 'http:';
  return isLink && url.length <= maxUrlChars && cutText(url, maxUrlChars) === url ? url : null;
}

/** Undefined: half of it would be worth nothing. */
function takeState(state: ProviderState): ProviderState | undefined {
  const { kept, isCut } = cutJson(state, maxStateBytes);
  return isCut ? undefined : kept;
}

function takeProviderError(given: Record<string, unknown>): Record<string, unknown> {
  const whole = cutJson(given, maxErrorBytes);
  if (!whole.isCut) return whole.kept;
  const room = maxErrorBytes - Buffer.byteLength(JSON.stringify(cutMark));
  return { ...cutJson(given, room).kept, ...cutMark };
}
