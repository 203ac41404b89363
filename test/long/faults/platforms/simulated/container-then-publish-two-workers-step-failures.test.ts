// One of two workers dies at any of its steps, at the network of that kind.
import { containerThenPublish } from '../../../../support/networks/container-then-publish.ts';
import { describeDeathBesideAnother } from '../../../../support/networks/two-workers.ts';

describeDeathBesideAnother(containerThenPublish);
