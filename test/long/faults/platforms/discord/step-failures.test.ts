// A run survives a worker that fails at any of its steps, at a network that takes a post once per key.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { discordBot } from '../../../../support/networks/discord/subject.ts';
import { describeStepFailures } from '../../../../support/networks/step-failures.ts';

describeStepFailures(toKind(discordBot));
