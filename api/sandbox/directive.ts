// Which outcome a post to the sandbox asks for: in its options, or in its caption.
import { SandboxOptions, type SandboxOutcome } from '../../schema/sandbox.ts';

export interface Directive {
  outcome: SandboxOutcome;
  /** Undefined: every time. */
  times: number | undefined;
  delayMs: number;
}

const inCaption = /\[sandbox((?:\s+\w+=\w+)*)\s*\]/;

/** What the request itself says wins over `[sandbox outcome=rejected delay_ms=500]` in the caption. */
export function readDirective(
  caption: string,
  asked: SandboxOptions,
): { directive: Directive } | { fault: string } {
  const words = inCaption.exec(caption)?.[1]?.trim().split(/\s+/).filter(Boolean) ?? [];
  const pairs = words.map((word) => {
    const [name = '', value = ''] = word.split('=');
    return [name, /^\d+$/.test(value) ? Number(value) : value];
  });
  const parsed = SandboxOptions.safeParse(Object.fromEntries(pairs));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { fault: [...(issue?.path ?? []), issue?.message].join(': ') };
  }
  const { outcome = 'published', times, delay_ms = 0 } = { ...parsed.data, ...asked };
  return { directive: { outcome, times, delayMs: delay_ms } };
}
