// A run survives a worker that fails at any of its steps, and leaves one pin.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { pinterest } from '../../../../support/networks/pinterest/subject.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';

// Pinterest has neither replies nor comments.
describeStepFailures(toKind(pinterest), ['single']);
