// Every fault in every stage of a target, at a network that takes a post once per key.
import { toKind } from '../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../support/networks/fault-matrix.ts';
import { mastodon } from '../../../support/networks/mastodon/subject.ts';

describeFaults(toKind(mastodon));
describeFaultPairs(toKind(mastodon));
