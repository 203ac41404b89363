// The settings of the project: its looks, its URLs, its keys and its apps.
import { useState } from 'react';
import type { Scope } from '../api/schema.ts';
import { changesOf } from '../api/changes.ts';
import { useAction } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { formText } from '../browser/form-text.ts';
import { useOwnUploads } from '../media/use-uploads.ts';
import { Loaded } from '../components/loaded.tsx';
import { Page, Section } from '../components/page.tsx';
import { ProblemAtFields } from '../components/form-issues.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { scopeName, useScope } from '../session/session.ts';
import { Apps } from './apps.tsx';
import { ColorField } from './color-field.tsx';
import { Keys } from './keys.tsx';
import { LogoField } from './logo-field.tsx';
import { CurrentProject, UpdateProject, type ProjectData } from './settings-documents.ts';

export function SettingsPage() {
  const canRead = useScope('ACCOUNTS_READ');
  const canReadKeys = useScope('KEYS_WRITE');
  const found = useData(CurrentProject, {});
  return (
    <Page title="Settings">
      {canRead ? (
        <Section title="Project">
          <Loaded of={found} pick={({ project }) => project}>
            {(project) => <ProjectForm project={project} />}
          </Loaded>
        </Section>
      ) : (
        <Lacking scope="ACCOUNTS_READ" what="see the project and its apps" />
      )}
      {canReadKeys ? <Keys /> : <Lacking scope="KEYS_WRITE" what="see the keys" />}
      {canRead && <Apps />}
    </Page>
  );
}

function Lacking({ scope, what }: { scope: Scope; what: string }) {
  return (
    <p>
      To {what}, the key needs the scope <code>{scopeName(scope)}</code>.
    </p>
  );
}

const logos = [
  ['logoMediaId', 'Logo', 'light'],
  ['darkLogoMediaId', 'Logo on dark pages', 'dark'],
] as const;

const urls = [
  ['privacyUrl', 'URL of the privacy policy'],
  ['termsUrl', 'URL of the terms'],
  ['supportUrl', 'URL of the support'],
] as const;

function logoOf(project: ProjectData, name: (typeof logos)[number][0], theme: string) {
  const mediaId = project[name];
  if (mediaId === null) return null;
  // Another logo has another address, so that the browser shows it at once.
  return { mediaId, url: `/brand/${project.id}/logo?theme=${theme}&media=${mediaId}` };
}

function ProjectForm({ project }: { project: ProjectData }) {
  const { run, problem, isRunning } = useAction();
  const [notice, setNotice] = useState('');
  const canWrite = useScope('ACCOUNTS_WRITE');
  const uploads = useOwnUploads([]);
  const isSending = uploads.media.some(({ upload }) => upload?.state === 'sending');

  async function save(form: FormData): Promise<void> {
    const text = (name: string) => formText(form, name);
    const orNull = (name: string) => text(name) || null;
    setNotice('');
    const input = {
      name: text('name'),
      brandColor: orNull('brandColor'),
      logoMediaId: orNull('logoMediaId'),
      darkLogoMediaId: orNull('darkLogoMediaId'),
      privacyUrl: orNull('privacyUrl'),
      termsUrl: orNull('termsUrl'),
      supportUrl: orNull('supportUrl'),
      returnOrigins: text('returnOrigins')
        .split(/[\s,]+/)
        .filter(Boolean),
    };
    const saved = await run(UpdateProject, { input: changesOf(project, input) });
    if (saved) setNotice('Saved.');
  }

  return (
    <form
      className="form"
      noValidate
      onChange={() => setNotice('')}
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <ProblemAtFields problem={problem}>
        {!canWrite && <Lacking scope="ACCOUNTS_WRITE" what="change the project" />}
        <fieldset className="form" disabled={!canWrite}>
          <TextField label="Name" name="name" required defaultValue={project.name} />
          <ColorField
            label="Color"
            name="brandColor"
            initial={project.brandColor ?? ''}
            help="Such as #2457d6. Hosted pages show it."
          />
          {logos.map(([name, label, theme]) => (
            <LogoField
              key={name}
              label={label}
              name={name}
              current={logoOf(project, name, theme)}
              uploads={uploads}
            />
          ))}
          {urls.map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              name={name}
              type="url"
              defaultValue={project[name] ?? ''}
            />
          ))}
          <TextField
            label="Origins that hosted pages may return to"
            name="returnOrigins"
            defaultValue={project.returnOrigins.join(' ')}
            help="Separated by spaces, such as https://app.example.com"
          />
        </fieldset>
        <p role="status" className="quiet small">
          {notice}
        </p>
        <ProblemNote problem={problem} />
      </ProblemAtFields>
      {canWrite && (
        <div className="actions">
          <Button type="submit" look="main" isDisabled={isSending} isRunning={isRunning}>
            Save
          </Button>
          {isSending && <span className="quiet">Wait for the upload.</span>}
        </div>
      )}
    </form>
  );
}
