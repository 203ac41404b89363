// The contract that every network passes: the cases that its capabilities name.
import { describe } from 'vitest';
import { createSwitchboard } from '../faults.ts';
import { describeFaultCases } from './fault-cases.ts';
import { describeLiveCases } from './live-cases.ts';
import type { NetworkSubject } from './subject.ts';

export function describeContract(subject: NetworkSubject): void {
  describe(subject.name, () => {
    describeLiveCases({ ...subject, start: (db) => subject.start(createSwitchboard(), db) });
    describeFaultCases(subject);
  });
}
