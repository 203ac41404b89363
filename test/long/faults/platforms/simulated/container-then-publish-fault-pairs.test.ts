// Two faults in one target, at the network of that kind.
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { containerThenPublish } from '../../../../support/networks/container-then-publish.ts';

describeFaultPairs(containerThenPublish);
