// A worker that ends at each step of a run in turn, at a network that shows nobody what it has.
import { toKind } from '../../../support/networks/contract/kind.ts';
import { telegram } from '../../../support/networks/telegram/subject.ts';
import { describeWalks } from '../../../support/networks/walks.ts';

describeWalks(toKind(telegram));
