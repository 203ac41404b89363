// The hosted pages of a connect session.
import { z } from 'zod';
import type { Platform } from '../../activities/platforms/platform.ts';
import type { ConnectSessionStatus } from '../../schema/accounts.ts';
import type { AppError } from '../../schema/errors.ts';
import { platformTitles } from '../../schema/platforms/index.ts';
import { isSecretField } from '../accounts/connect-at-network.ts';
import { html, page, prose, type Html } from '../pages.ts';

export function endedPage(status: Exclude<ConnectSessionStatus, 'pending'>): Response {
  switch (status) {
    case 'completed':
      return page('Connected', html`<p>Your account is connected. You may close this page.</p>`);
    case 'canceled':
      return page('Not connected', html`<p>Nothing was connected. You may close this page.</p>`);
    case 'expired':
      return page(
        'This link has expired',
        html`<p>Go back to where you came from and ask for a new one.</p>`,
        { status: 410 },
      );
  }
}

/** `retryUrl`: where the user may try once more. */
export function troublePage(message: string, status: number, retryUrl?: string): Response {
  return page(
    'Your account could not be connected',
    html`<p>${message}</p>
      ${retryUrl !== undefined && html`<p><a href="${retryUrl}">Try again</a></p>`}`,
    { status },
  );
}

/** For a browser without the session's cookie. */
export function otherBrowserPage(): Response {
  return page(
    'This page was opened in another browser',
    html`<p>It works only in the browser that opened the link, for 30 minutes.</p>
      <p>Go back to where you came from and open the link again.</p>`,
    { status: 403 },
  );
}

export interface CredentialsForm {
  platform: Platform;
  projectName: string;
  sessionId: string;
  state: string;
  values: Record<string, string>;
  fault?: AppError;
}

/** For networks whose accounts are connected by what their user types. */
export function formPage(form: CredentialsForm): Response {
  const { platform, projectName, sessionId, state, fault } = form;
  const network = platformTitles[platform.name];
  return page(
    `Connect your ${network} account`,
    html`<p><strong>${projectName}</strong> asks to post to ${network} on your behalf.</p>
      ${fault && fault.code !== 'validation_error' && html`<p role="alert">${fault.message}</p>`}
      <form method="post" action="/connect/${sessionId}">
        <input type="hidden" name="state" value="${state}" />
        ${credentialFields(platform).map((field) => showField(field, form))}
        <button class="first" name="decision" value="connect">Connect</button>
        <button name="decision" value="cancel" formnovalidate>Cancel</button>
      </form>`,
    { status: fault ? 422 : 200, isFormLeaving: true },
  );
}

interface CredentialField {
  name: string;
  description: string | undefined;
  isRequired: boolean;
}

const FieldSchemas = z.object({
  properties: z.record(z.string(), z.object({ description: z.string().optional() })),
  required: z.array(z.string()).default([]),
});

/** The network's own schema says what it needs. */
export function credentialFields({ connect }: Platform): CredentialField[] {
  if (!connect) return [];
  const { properties, required } = FieldSchemas.parse(
    z.toJSONSchema(connect.credentials, { io: 'input', unrepresentable: 'any' }),
  );
  return Object.entries(properties).map(([name, { description }]) => ({
    name,
    description,
    isRequired: required.includes(name),
  }));
}

function showField(
  { name, description, isRequired }: CredentialField,
  form: CredentialsForm,
): Html {
  const label = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
  const isSecret = isSecretField(name);
  const faults = form.fault?.options.issues?.filter(({ path }) => path === `credentials.${name}`);
  return html`<label for="${name}">${label}${!isRequired && ' (optional)'}</label>
    ${faults?.map(({ message }) => html`<p role="alert">${message}</p>`)}
    <input
      id="${name}"
      name="${name}"
      type="${isSecret ? 'password' : 'text'}"
      value="${isSecret ? '' : form.values[name]}"
      autocomplete="off"
      ${isRequired && 'required'}
    />
    ${description !== undefined && html`<p class="quiet">${prose(description)}</p>`}`;
}
