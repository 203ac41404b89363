// Every fault in every stage of a target, of a member and of a page.
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaultPairs } from '../../../../support/networks/fault-pairs.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { linkedinMember, linkedinPage } from '../../../../support/networks/linkedin/subject.ts';

for (const subject of [linkedinMember, linkedinPage]) {
  describeFaults(toKind(subject));
  describeFaultPairs(toKind(subject));
}
