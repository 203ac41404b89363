// Targets that the form can't show. They stay as they are.
import { platformName } from '../components/platform-name.ts';
import type { EditedPostData } from './compose-documents.ts';

export function FixedTargets({ results }: Pick<EditedPostData, 'results'>) {
  return (
    <>
      <ul className="row plain" aria-label="Targets">
        {results.map(({ id, platform, accountName, threadPosition }) => (
          <li key={id} className="badge">
            {platformName(platform)} {accountName}
            {threadPosition !== null && `, part ${threadPosition}`}
          </li>
        ))}
      </ul>
      <p className="quiet small">
        These targets have threads of their own. They stay as they are: change them with the API.
      </p>
    </>
  );
}
