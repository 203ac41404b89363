// Every fault in the commit and in the check that follows it, at the network of that kind.
import { describeFaults } from '../../../support/networks/fault-matrix.ts';
import { uploadSession } from '../../../support/networks/upload-session.ts';

describeFaults(uploadSession, ['commit', 'reconcile']);
