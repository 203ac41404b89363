// Every fault in every stage of a target, at the network of that kind.
import { describeFaults } from '../../../support/networks/fault-matrix.ts';
import { describeFaultPairs } from '../../../support/networks/fault-pairs.ts';
import { nativeIdempotency } from '../../../support/networks/native-idempotency.ts';

describeFaults(nativeIdempotency);
describeFaultPairs(nativeIdempotency);
