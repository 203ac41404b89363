// The contract that every network passes. The network's capabilities decide which cases run.
import { describe, expect, test } from 'vitest';
import { platformDefinitions } from '../../../../schema/platforms/index.ts';
import { createSwitchboard } from '../faults.ts';
import { describeChangeCases } from './change-cases.ts';
import { describeFaultCases } from './fault-cases.ts';
import { describeLiveCases } from './live-cases.ts';
import type { NetworkSubject } from './subject.ts';

export function describeContract(subject: NetworkSubject): void {
  describe(subject.title ?? subject.name, () => {
    test('has an example of every option', () => {
      const { name, options, otherOptions = [] } = subject;
      const { shape } = platformDefinitions.find((each) => each.name === name)!.options;
      const used = new Set(options.flatMap(({ given }) => Object.keys(given)));
      expect([...used, ...otherOptions].toSorted()).toEqual(Object.keys(shape).toSorted());
    });

    describeLiveCases({ ...subject, start: (db) => subject.start(createSwitchboard(), db) });
    describeFaultCases(subject);
    describeChangeCases(subject);
  });
}
