// The tables of errors on the page of a network of Meta.
import {
  writeCode,
  type ContainerFailure,
  type MetaError,
} from '../../../activities/platforms/meta/errors.ts';
import { readPage } from './readme.ts';

/** The `error_code` of a target that fails with an error of this meaning. */
const ends: Record<MetaError['meaning'], string> = {
  rejected: '`rejected`',
  rate_limited: '`rate_limited`',
  unavailable: '`unavailable`',
  lost: '`unavailable`; `outcome_unknown` after a publish',
  unknown_outcome: '`outcome_unknown`',
  reauthorize: '`token_expired`',
  revoked: '`token_revoked`',
};

export function toErrorRow(error: MetaError): string[] {
  const { words, sentence = '', meaning, failsAs, isOutOfQuota } = error;
  const code = codeOf(error);
  const named = [code && `\`${code}\``, words && `\`${words.source}\``].filter(Boolean);
  const end = isOutOfQuota ? '`quota_exhausted`' : failsAs ? `\`${failsAs}\`` : ends[meaning];
  return [named.join(' with '), sentence, end];
}

function codeOf({ code, upTo, subcode, either }: MetaError): string | undefined {
  if (either !== undefined) return String(either);
  return upTo === undefined ? writeCode({ code, subcode }) : `${code}–${upTo}`;
}

export const toFailureRow = ({ words, sentence, failsAs = 'rejected' }: ContainerFailure) => [
  `\`${words}\``,
  sentence,
  `\`${failsAs}\``,
];

/** The cells of all rows in the page's section on errors. */
export function readErrorRows(path: string): string[][] {
  const [, section = ''] = readPage(path).split('\n## Errors\n');
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((each) => each.trim()),
    );
}
