// Two workers advance one target, at the network of that kind.
import { containerThenPublish } from '../../../support/networks/container-then-publish.ts';
import { describeTwoWorkers } from '../../../support/networks/two-workers.ts';

describeTwoWorkers(containerThenPublish);
