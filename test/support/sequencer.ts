// The order of the test files. Long files come first, so that no worker is left alone with a long file at the
// end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start programs or browsers, publish through a whole Fanfare, or send many large files. */
const isLong = ({ moduleId }: TestSpecification) =>
  /\/test\/(end-to-end\/|scripts\/generate\.|api\/(embedded|cli)\/|api\/media\/upload[\w-]*\.|activities\/platforms\/.*contract\.)/.test(
    moduleId,
  );

/** Files of about half a minute or more, such as the one that opens every page. */
const isLongest = ({ moduleId }: TestSpecification) =>
  /\/test\/end-to-end\/(upgrade|programs\/package|dashboard\/(every-page|scopes|walk))\./.test(
    moduleId,
  );

const rank = (file: TestSpecification) => Number(isLong(file)) + Number(isLongest(file));

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(b) - rank(a));
  }
}
