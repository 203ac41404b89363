// Every fault in every stage of a target, at the network of that kind.
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { containerThenPublish } from '../../../../support/networks/container-then-publish.ts';

describeFaults(containerThenPublish);
