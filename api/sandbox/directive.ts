// Reads the outcome that a post to the sandbox requests, from its options or its caption.
import { SandboxOptions, type SandboxOutcome } from '../../schema/platforms/sandbox.ts';

export interface Directive {
  outcome: SandboxOutcome;
  /** Undefined: every time. */
  times: number | undefined;
  delayMs: number;
  /** Undefined: the account can post again at once. */
  throttleS: number | undefined;
  hasRetryAfter: boolean;
}

const inCaption = /\[sandbox((?:\s+\w+=\w+)*)\s*\]/;

/** Options take precedence over `[sandbox outcome=rejected delay_ms=500]` in the caption. */
export function readDirective(
  caption: string,
  requested: SandboxOptions,
): { directive: Directive } | { issue: string } {
  const words = inCaption.exec(caption)?.[1]?.trim().split(/\s+/).filter(Boolean) ?? [];
  const pairs = words.map((word) => {
    const [name = '', value = ''] = word.split('=');
    return [name, readValue(value)];
  });
  const parsed = SandboxOptions.safeParse(Object.fromEntries(pairs));
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    return { issue: [...(first?.path ?? []), first?.message].join(': ') };
  }
  const options = { ...parsed.data, ...requested };
  return {
    directive: {
      outcome: options.outcome ?? 'published',
      times: options.times,
      delayMs: options.delay_ms ?? 0,
      throttleS: options.throttle_s,
      hasRetryAfter: !options.without_retry_after,
    },
  };
}

function readValue(word: string): string | number | boolean {
  if (/^\d+$/.test(word)) return Number(word);
  return word === 'true' || word === 'false' ? word === 'true' : word;
}
