// A worker that ends at each step of a run in turn, at the network of that kind.
import { describeWalks } from '../../../support/networks/walks.ts';
import { nativeIdempotency } from '../../../support/networks/native-idempotency.ts';

describeWalks(nativeIdempotency);
