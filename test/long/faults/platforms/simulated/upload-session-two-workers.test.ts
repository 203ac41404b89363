// Two workers advance one target, at the network of that kind.
import { describeTwoWorkers } from '../../../../support/networks/two-workers.ts';
import { uploadSession } from '../../../../support/networks/upload-session.ts';

describeTwoWorkers(uploadSession);
