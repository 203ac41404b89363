// States of things as words in a colored badge. The word says it, the color only helps.
import type { StatusValue } from '../api/schema.ts';

const looks: Partial<Record<StatusValue, string>> = {
  PUBLISHED: 'good',
  DELIVERED: 'good',
  ACTIVE: 'good',
  PASSED: 'good',
  OK: 'good',
  SUCCEEDED: 'good',
  COMPLETED: 'good',
  FAILED: 'bad',
  ERROR: 'bad',
  DISABLED: 'bad',
  RECONNECT_REQUIRED: 'bad',
  OUTCOME_UNKNOWN: 'bad',
  PARTIAL: 'wait',
  PENDING: 'wait',
  PUBLISHING: 'wait',
  RETRYING: 'wait',
  RUNNING: 'wait',
  WARNING: 'wait',
};

/** `RECONNECT_REQUIRED` as `Reconnect required`. */
export function toWords(value: string): string {
  const words = value.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function Status({ value, label }: { value: StatusValue; label?: string }) {
  const look = looks[value];
  return (
    <span className={look === undefined ? 'badge' : `badge badge-${look}`}>
      {label ?? toWords(value)}
    </span>
  );
}
