// A run survives a worker that fails at any of its steps, at a network that shows nobody what it has.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { telegram } from '../../../../support/networks/telegram/subject.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';

describeStepFailures(toKind(telegram));
