// The text of `--help`.
import { Environment } from '../../schema/config/environment.ts';

/** In the package, this file is JavaScript. */
const program = import.meta.filename.endsWith('.ts') ? 'npx node api/cli.ts' : 'npx fanfare';

export const usage = () => `Usage: ${program} <command>

Publish, at the Fanfare of FANFARE_URL or on this machine (docs/cli.md):
  post "TEXT"           publish, schedule or draft a post; exits with 0 if it was published, 2 if
                        only partly, 3 if not, 4 if that is unknown, 1 if it was refused
    --to A,B            accounts, such as bluesky:@ada or sa_…
    --media FILE        image, video or document; repeat it for more
    --at TIME           schedule it, such as "2026-12-01 09:00"
    --zone ZONE         time zone of --at, such as Europe/Berlin (default: that of this machine)
    --draft             only save it
    --yes               publish without asking
    --wait DURATION     wait for the outcome for at most this time, such as 30s (default: 2m)
    --idempotency-key K make a repeat of the command safe
  posts [POST]          list posts, or show one
    --status A,B        only posts with these statuses
    --limit N           at most this number (default: 20)
  accounts              list connected accounts
  webhooks              list webhooks
  watch [POST]          show changes of posts as they happen; of one post, until it has ended
  verify [FILE]         check the signature of a webhook request, in a file or the standard input
    --secret A,B        secrets of the webhook
    --header LINE       a header of the request, if the input has only the body; repeat it
    --tolerance SECONDS how old the request may be (default: 300)
  --url, --key          as for \`listen\`

With every command that ends, and with \`watch\` and \`listen\`:
  --json                print JSON for programs

Run Fanfare:
  start                 run everything in one process, with embedded Postgres and Temporal
                        unless DATABASE_URL and TEMPORAL_ADDRESS are set
  api                   run the HTTP server
  worker                run a worker: workflows, relay and sweeper
  migrate               migrate the database

Manage projects and keys:
  projects create       create a project and print its first key
    --name NAME
  projects list         list projects
  projects rename       change the name of a project
    --project ID
    --name NAME
  projects export       print the records of a project as lines of JSON
    --url, --key        as for \`listen\`; the key is one of the project
  projects erase        delete a project with everything that belongs to it
    --project ID
    --yes
  keys create           create an API key and print it
    --project ID        project of the key
    --name NAME
    --scopes A,B        default: all scopes
    --test              a test key, which sees only the sandbox
    --expires-at TIME   default: never

Serve agents:
  mcp                   an MCP server on standard input and output, for a client that starts it
    --url, --key        as for \`listen\`

Operate:
  apps                  list your apps at networks with their callback URLs
  pause SCOPE           stop publishing to a network or for a project, by its ID, or stop
                        all webhook deliveries with the word \`deliveries\`
  resume SCOPE          end a pause
  pauses                list the pauses
  keys rotate           seal stored secrets of older vault keys with the first one
  restored              run once after you restore the database from a backup: Fanfare then
                        checks each post at its network before it sends it
  doctor                check the configuration, the backends, clocks, keys, apps, certificates
                        and versions of networks' APIs; exits with 1 if something fails
  stuck                 list posts without progress and overdue deliveries
    --minutes N         for at least this time (default: 15)
  verify ACCOUNT        check whether an account can publish, by its ID; exits with 1 if not
    --publish           also publish a post, read it back and remove it
    --publish-public    the same at networks where the post stays
    --report FILE       write a report in Markdown
    --url, --key        as for \`listen\`

Develop:
  listen                stream events to your machine, as signed webhook requests
    --forward-to URL    send them to this server
    --no-forward        only print them
    --events A,B        only these event types
    --test              test events instead of real ones
    --secret SECRET     signing secret (default: a new one, printed at the start)
    --after CURSOR      start after this cursor (default: now)
    --cursor-file PATH  save the cursor in this file, and resume from it
    --url URL           Fanfare to listen to (default: FANFARE_URL, or the one on this machine)
    --key KEY           API key (default: FANFARE_API_KEY, or the key in the data directory)

Environment variables (<NAME>_FILE is the path of a file with the value):

${describeVariables()}`;

type Default = string | number | boolean | string[] | number[];

function describeVariables(): string {
  const defaults: Record<string, Default | undefined> = Environment.parse({});
  return Object.entries(Environment.shape)
    .map(([name, type]) => {
      const fallback = defaults[name];
      const note = fallback === undefined ? '' : ` Default: ${write(fallback)}.`;
      return `  ${name}\n      ${type.meta()?.description ?? ''}${note}`;
    })
    .join('\n');
}

/**
 * Writes a default as its environment variable would have it. Scopes are separated by spaces, and times by
 * commas.
 */
const write = (fallback: Default) =>
  Array.isArray(fallback) && typeof fallback[0] === 'string'
    ? fallback.join(' ')
    : String(fallback);
