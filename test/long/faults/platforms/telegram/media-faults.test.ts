// Every fault in every stage of a target with an image, at a network that shows nobody what it has.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { telegramWithMedia } from '../../../../support/networks/telegram/subject.ts';

describeFaults(toKind(telegramWithMedia));
describeFaultPairs(toKind(telegramWithMedia));
