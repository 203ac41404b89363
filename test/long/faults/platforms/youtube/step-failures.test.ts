// A run survives a worker that fails at any of its steps, at YouTube, whose uploads name their video.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';
import { youtube } from '../../../../support/networks/youtube/subject.ts';

describeStepFailures(toKind(youtube), ['single']);
