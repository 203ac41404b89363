// One of two workers dies at any of its steps, at the network of that kind.
import { describeDeathBesideAnother } from '../../../../support/networks/two-workers.ts';
import { uploadSession } from '../../../../support/networks/upload-session.ts';

describeDeathBesideAnother(uploadSession);
