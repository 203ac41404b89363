// The API keys of the project.
import { useAction, type Action } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import { CopyText } from '../components/copy-text.tsx';
import { Confirm } from '../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../components/field.tsx';
import { GroupIssues } from '../components/form-issues.tsx';
import { Loaded } from '../components/loaded.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { Section } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useFilters } from '../browser/router.ts';
import { Status } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { formText } from '../browser/form-text.ts';
import { scopeName, scopes, useSession } from '../session/session.ts';
import { CreateApiKey, KeyList, RevokeApiKey, type KeyData } from './settings-documents.ts';

export function Keys() {
  const [{ after }] = useFilters();
  const found = useData(KeyList, { after: after ?? null });
  return (
    <Section title="API keys" actions={<NewKey reload={found.reload} />}>
      <Loaded of={found} pick={({ apiKeys }) => apiKeys}>
        {({ nodes, pageInfo }) => (
          <>
            <ul className="list" aria-label="API keys">
              {nodes.map((key) => (
                <KeyItem key={key.id} apiKey={key} />
              ))}
            </ul>
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function KeyItem({ apiKey }: { apiKey: KeyData }) {
  const { run, problem } = useAction();
  const { apiKey: own } = useSession();
  return (
    <li>
      <div className="row">
        {apiKey.revokedAt && <Status value="DISABLED" label="Revoked" />}
        <b>{apiKey.name}</b>
        <code>{apiKey.prefix}…</code>
        {apiKey.environment === 'TEST' && <span className="badge">Test</span>}
        {apiKey.id === own.id && <span className="badge">This session</span>}
        <span className="push">
          {!apiKey.revokedAt && (
            <Confirm
              title={`Revoke “${apiKey.name}”?`}
              button="Revoke"
              onConfirm={() => run(RevokeApiKey, { id: apiKey.id })}
            >
              <p>Programs and sessions with this key stop at once. This can’t be undone.</p>
            </Confirm>
          )}
        </span>
      </div>
      <p className="quiet small">
        {apiKey.scopes.map(scopeName).join(', ')} ·{' '}
        {apiKey.lastUsedAt ? (
          <>
            last used <Time at={apiKey.lastUsedAt} />
          </>
        ) : (
          'never used'
        )}
        {apiKey.expiresAt && (
          <>
            {' '}
            · expires <Time at={apiKey.expiresAt} />
          </>
        )}
      </p>
      <ProblemNote problem={problem} />
    </li>
  );
}

function NewKey({ reload }: { reload(): void }) {
  async function create(form: FormData, run: Action['run']): Promise<string | undefined> {
    const input = {
      name: formText(form, 'name'),
      environment: form.get('environment') === 'TEST' ? ('TEST' as const) : ('PRODUCTION' as const),
      scopes: scopes.filter((scope) => form.has(scope)),
    };
    const created = (await run(CreateApiKey, { input }))?.createApiKey;
    if (created) reload();
    return created?.key;
  }
  return (
    <CreateDialog
      title="New key"
      button="New key"
      submit="Create the key"
      create={create}
      show={(key) => (
        <>
          <p>Copy the key now. It is not shown again.</p>
          <CopyText text={key} label="Key" />
        </>
      )}
    >
      <TextField label="Name" name="name" required />
      <SelectField
        label="Reaches"
        name="environment"
        options={[
          ['PRODUCTION', 'All accounts'],
          ['TEST', 'Sandbox accounts only'],
        ]}
      />
      <fieldset>
        <legend>Scopes</legend>
        <GroupIssues at="scopes" label="Scopes" />
        {scopes.map((scope) => (
          <CheckField
            key={scope}
            name={scope}
            label={scopeName(scope)}
            defaultChecked={scope.endsWith('_READ')}
          />
        ))}
      </fieldset>
    </CreateDialog>
  );
}
