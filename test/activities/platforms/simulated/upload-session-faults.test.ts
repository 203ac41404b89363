// Every fault in every stage of a target, at the network of that kind.
import { describeFaults } from '../../../support/networks/fault-matrix.ts';
import { describeFaultPairs } from '../../../support/networks/fault-pairs.ts';
import { uploadSession } from '../../../support/networks/upload-session.ts';

describeFaults(uploadSession);
describeFaultPairs(uploadSession);
