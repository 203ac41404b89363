// A run survives a worker that fails at any of its steps, at X, where lost posts are searched for.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { twitterReading } from '../../../../support/networks/twitter/subject.ts';

describeStepFailures(toKind(twitterReading));
