// A worker that ends at each step of a run in turn, at the network of that kind.
import { describeWalks } from '../../../support/networks/walks.ts';
import { containerThenPublish } from '../../../support/networks/container-then-publish.ts';

describeWalks(containerThenPublish);
