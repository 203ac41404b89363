// The project's own apps at networks, with the URLs to enter there.
import { useData } from '../api/use-data.ts';
import { Empty } from '../parts/empty.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Section } from '../parts/page.tsx';
import { platformName } from '../parts/platform-name.ts';
import { Status } from '../parts/status.tsx';
import { AppList } from './settings-documents.ts';

export function Apps() {
  const found = useData(AppList, {});
  return (
    <Section title="Apps at networks">
      <Loaded of={found} pick={({ platformApps }) => platformApps}>
        {(apps) => (
          <>
            {apps.length === 0 && (
              <Empty title="No app of your own">
                <p>Accounts are connected through the apps of this installation.</p>
              </Empty>
            )}
            <ul className="list" aria-label="Apps at networks">
              {apps.map(({ platform, clientId, approval, callbackUrls }) => (
                <li key={platform}>
                  <div className="row">
                    <b>{platformName(platform)}</b> <code>{clientId}</code>
                    <Status value={approval} />
                  </div>
                  <dl className="facts small">
                    {Object.entries(callbackUrls).map(
                      ([name, url]) =>
                        url !== null &&
                        name !== '__typename' && (
                          <div key={name} className="pair">
                            <dt>{urlNames[name] ?? name}</dt>
                            <dd>
                              <code>{url}</code>
                            </dd>
                          </div>
                        ),
                    )}
                  </dl>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  );
}

const urlNames: Partial<Record<string, string>> = {
  redirect: 'Redirect URL',
  webhook: 'Webhook URL',
  deauthorize: 'Deauthorization URL',
  dataDeletion: 'Data deletion URL',
};
