// Two faults in one target, at the network of that kind.
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { uploadSession } from '../../../../support/networks/upload-session.ts';

describeFaultPairs(uploadSession);
