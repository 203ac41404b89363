// Every fault up to the commit, at the network of that kind.
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { uploadSession } from '../../../../support/networks/upload-session.ts';

describeFaults(uploadSession, ['refresh', 'prepare']);
