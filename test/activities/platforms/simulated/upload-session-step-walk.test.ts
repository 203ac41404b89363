// A worker that ends at each step of a run in turn, at the network of that kind.
import { describeWalks } from '../../../support/networks/walks.ts';
import { uploadSession } from '../../../support/networks/upload-session.ts';

describeWalks(uploadSession);
