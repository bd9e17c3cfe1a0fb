import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify, styleText } from 'node:util'
import { type Command, Option } from 'commander'
import { SCOPES } from '../auth/access/scope.ts'
import { readEnvironment } from '../config/config.ts'
import type { Role } from '../config/settings.ts'
import type { Provisioned } from '../run/embedded/provision.ts'
import type { Logger } from '../telemetry/logger.ts'
import { action } from './command.ts'
import { shutdownRequested } from './shutdown-signals.ts'

/** `posthorn start`: runs the API, the worker or both, until a signal. */
export function registerStart(program: Command): void {
  program
    .command('start')
    .description(
      'Migrates the database, then serves the API and sends deliveries in one process. SIGTERM or Ctrl+C stops it after the requests and attempts in flight; a second signal aborts the attempts.',
    )
    .addOption(
      new Option(
        '--role <role>',
        'what this process runs: the API and the worker, only the API, or only the worker; a worker also serves /healthz, /readyz and /metrics',
      )
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .action(async (options: { readonly role: Role }) => {
      await action(start)(options)
      // Everything of Posthorn is closed, but graphile-worker may leave timers after a lost connection to Postgres.
      process.exit()
    })
}

async function start(options: { readonly role: Role }): Promise<void> {
  let abort = () => {}
  const stop = shutdownRequested(() => abort())
  const { openPosthorn } = await import('../run/start-posthorn.ts')
  const environment = readEnvironment()
  passOn(environment)
  await using posthorn = await openPosthorn(environment, { ...options, isGuest: false })
  const { config, logger, url, databaseUrl, provisioned } = posthorn
  if (provisioned !== null) {
    process.stderr.write(welcome({ url: config.publicUrl ?? url, databaseUrl, ...provisioned }))
  }
  logger.info({ url, role: options.role }, 'ready')
  await notifySystemd('READY=1', logger)
  const reason = await stop
  logger.info({ reason }, 'stopping after the requests and attempts in flight')
  void notifySystemd('STOPPING=1', logger)
  abort = () => {
    logger.info('aborting the attempts in flight and unclaiming their jobs')
    posthorn.abort()
  }
}

/** The OpenTelemetry SDK reads its settings from the environment of the process. */
function passOn(environment: ReturnType<typeof readEnvironment>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('OTEL_')) process.env[name] ??= value
  }
}

/**
 * Tells systemd the state of a service of `Type=notify`. Does nothing if systemd did not start this process.
 * `NOTIFY_SOCKET` is a datagram socket, which Node does not have, so systemd's own program writes to it, and the unit needs
 * `NotifyAccess=all`.
 * https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
 */
async function notifySystemd(state: 'READY=1' | 'STOPPING=1', logger: Logger) {
  if (!process.env['NOTIFY_SOCKET']) return
  try {
    await promisify(execFile)('systemd-notify', [state])
  } catch (error) {
    logger.warn({ error, state }, 'systemd-notify failed, so systemd does not know this state')
  }
}

interface Welcome extends Provisioned {
  readonly url: string
  /** The URL of the embedded Postgres, with its password. */
  readonly databaseUrl: string
}

/** The message of embedded mode when it is ready. Contains the API key only on the first start. */
function welcome({ url, token, keyFile, signInLink, databaseUrl }: Welcome): string {
  const file = path.relative(process.cwd(), keyFile) || keyFile
  // Browsers do not send the fragment to the server, so the token appears in no log.
  const signIn = signInLink === null ? '' : `/sign-in#link=${signInLink}`
  const lines = [
    '',
    `${styleText('bold', 'Posthorn')} is ready at ${styleText('cyan', url)}`,
    '',
    `  Console   ${url}/console${signIn}`,
    `  GraphQL   ${url}/graphql`,
    `  REST      ${url}/api/connect/v1/webhooks`,
    `  OpenAPI   ${url}/openapi.json`,
    `  Postgres  ${databaseUrl}`,
    '',
    ...(token === null ? laterStart(signInLink, file) : firstStart(url, token, file)),
    '',
  ]
  return `${lines.join('\n')}\n`
}

function laterStart(signInLink: string | null, file: string): string[] {
  if (signInLink !== null) return [`The API key is in ${file}.`]
  return [
    `The API key in ${file} is missing or no longer valid. Create another one:`,
    '',
    `  npx posthorn key create --scope ${SCOPES.join(',')}`,
  ]
}

function firstStart(url: string, token: string, file: string): string[] {
  return [
    `Created an organization and an API key with all scopes:`,
    '',
    `  ${styleText('green', token)}`,
    '',
    `The key is shown only once and stored in ${file} for the commands. Try it:`,
    '',
    `  curl ${url}/api/connect/v1/webhooks -H 'Authorization: Bearer ${token}'`,
    '',
    'Receive a signed delivery in a second terminal:',
    '',
    '  npx posthorn listen --register',
    '',
    'Publish an event in a third one:',
    '',
    `  npx posthorn publish event_attendee.joined_event '{"attendee":"Ada"}'`,
  ]
}
