// The project's own apps at networks, with the URLs to enter there.
import { useState } from 'react';
import { useQuery } from 'urql';
import { Networks } from '../accounts/account-documents.ts';
import type { Platform } from '../api/schema.ts';
import { useAction, type Action } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import { CopyText } from '../components/copy-text.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { CheckField, SelectField, TextField } from '../components/field.tsx';
import { formText } from '../browser/form-text.ts';
import { Loaded } from '../components/loaded.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { Section } from '../components/page.tsx';
import { platformName } from '../components/platform-name.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { Status } from '../components/status.tsx';
import { useScope } from '../session/session.ts';
import { AppList, DeleteApp, SetApp, type AppData } from './settings-documents.ts';

export function Apps() {
  const found = useData(AppList, {});
  const canWrite = useScope('ACCOUNTS_WRITE');
  return (
    <Section title="Apps at networks" actions={canWrite && <NewApp reload={found.reload} />}>
      <Loaded of={found} pick={({ platformApps }) => platformApps}>
        {(apps) => (
          <>
            {apps.length === 0 && (
              <Empty title="No app of your own">
                <p>Accounts are connected through the apps of this installation.</p>
              </Empty>
            )}
            <ul className="list" aria-label="Apps at networks">
              {apps.map((app) => (
                <AppItem key={app.platform} app={app} canWrite={canWrite} reload={found.reload} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  );
}

interface AppItemProps {
  app: AppData;
  canWrite: boolean;
  reload(): void;
}

function AppItem({ app, canWrite, reload }: AppItemProps) {
  const { platform, clientId, approval, hasClientSecret, settings } = app;
  const { run, problem } = useAction();
  const [isForced, setIsForced] = useState(false);
  const name = platformName(platform);
  async function remove(): Promise<void> {
    if (await run(DeleteApp, { platform, force: isForced })) reload();
  }
  return (
    <li>
      <div className="row">
        <b>{name}</b> <code className="wrap">{clientId}</code>
        <Status value={approval} />
        <span className="quiet small">
          {hasClientSecret ? 'with a secret' : 'without a secret'}
          {Object.entries(settings as Record<string, string>).map(
            ([key, value]) => `, ${key}: ${value}`,
          )}
        </span>
        <span className="push">
          {canWrite && (
            <Confirm title={`Remove the app at ${name}?`} button="Remove" onConfirm={remove}>
              <p>Users then give their consent to the app of this installation.</p>
              <CheckField
                label="Also if accounts are connected with it. They must then be reconnected."
                checked={isForced}
                onChange={({ target }) => setIsForced(target.checked)}
              />
            </Confirm>
          )}
        </span>
      </div>
      <ProblemNote problem={problem} />
      <CallbackUrls app={app} />
    </li>
  );
}

function CallbackUrls({ app: { callbackUrls, platform } }: { app: AppData }) {
  return Object.entries(urlNames).map(([name, label]) => {
    const url = callbackUrls[name as keyof typeof urlNames];
    return (
      url !== null && (
        <div key={name}>
          <p className="small">{label}</p>
          <CopyText text={url} label={`${label} of ${platformName(platform)}`} />
        </div>
      )
    );
  });
}

function NewApp({ reload }: { reload(): void }) {
  async function create(form: FormData, run: Action['run']): Promise<AppData | undefined> {
    const text = (name: string) => formText(form, name);
    const settings = Object.fromEntries(
      settingNames.flatMap((name) => (text(name) === '' ? [] : [[name, text(name)]])),
    );
    const input = {
      clientId: text('clientId'),
      ...(text('clientSecret') === '' ? {} : { clientSecret: text('clientSecret') }),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    };
    const platform = text('platform') as Platform;
    const set = (await run(SetApp, { platform, input }))?.setPlatformApp;
    if (set) reload();
    return set ?? undefined;
  }
  return (
    <CreateDialog
      title="Set an app at a network"
      button="Set an app"
      submit="Set the app"
      create={create}
      show={(app) => (
        <>
          <p>Enter these URLs in the settings of the app at {platformName(app.platform)}.</p>
          <CallbackUrls app={app} />
        </>
      )}
    >
      <p>
        Users then give their consent to your app. Accounts that are connected stay with the app
        that connected them. Setting an app again replaces it.
      </p>
      <AppFields />
    </CreateDialog>
  );
}

/** Settings of apps at networks of Meta. */
const settingNames = ['config_id', 'login'];

function AppFields() {
  const [{ data }] = useQuery({ query: Networks });
  const networks = (data?.capabilities ?? []).filter(({ connect }) => connect.consent);
  return (
    <>
      <SelectField
        label="Network"
        name="platform"
        options={networks.map(({ platform }) => [platform, platformName(platform)] as const)}
      />
      <TextField label="Client ID" name="clientId" required autoComplete="off" />
      <TextField
        label="Client secret"
        name="clientSecret"
        type="password"
        autoComplete="off"
        help="It is stored encrypted, and never shown again."
      />
      <TextField
        label="ID of the configuration"
        name="config_id"
        at="settings.config_id"
        help="Only at Facebook and Instagram, with Facebook Login for Business."
      />
      <SelectField
        label="Login of the app"
        name="login"
        at="settings.login"
        options={[
          ['', 'Default'],
          ['instagram', 'Instagram (only for an app at Instagram)'],
          ['facebook', 'Facebook (only for an app at Instagram)'],
        ]}
      />
    </>
  );
}

const urlNames = {
  redirect: 'Redirect URL',
  webhook: 'Webhook URL',
  deauthorize: 'Deauthorization URL',
  dataDeletion: 'Data deletion URL',
} as const;
