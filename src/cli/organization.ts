import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Deletion, Installation, Organization } from './installation/installation.ts'
import { withInstallation, withServerOptions } from './installation/with-installation.ts'
import { registerOrganizationRetention } from './retention.ts'
import { print, runCommand } from './run-command.ts'
import type { ServerOptions } from './server-access.ts'

interface Options extends ServerOptions {
  readonly json?: boolean
}

interface CreateOptions extends Options {
  readonly uid?: string
  readonly metadata: Readonly<Record<string, string>>
}

interface DeleteOptions extends Options {
  readonly force: boolean
  readonly wait: boolean
}

/** `posthorn organization create`, `list`, `delete` and `retention`. */
export function registerOrganization(program: Command): void {
  const organization = program.command('organization').summary('manage organizations')
  registerCreate(organization)
  registerList(organization)
  registerDelete(organization)
  registerOrganizationRetention(organization)
}

function registerCreate(organization: Command): void {
  withServerOptions(organization.command('create'), 'the scope admin')
    .summary('create an organization')
    .description(
      'Creates an organization without API keys and webhooks, and prints its id, which other commands need.',
    )
    .argument('<name>', 'a label of 1 to 200 characters')
    .option('--uid <uid>', 'a name of your choice, unique in the installation')
    .option('--metadata <key=value>', 'a label; repeat the option for more', addLabel, {})
    .option('--json', 'print {"id":"org_…","name":"…","uid":"…","metadata":{},"created_at":"…"}')
    .action(async (name: string, { uid, metadata, ...options }: CreateOptions) => {
      await runCommand(async () => {
        const wanted = { name, uid: uid ?? null, metadata }
        const created = await withInstallation(options, (one) => one.createOrganization(wanted))
        print(options.json, toJson(created), toLine(created))
      })
    })
}

function registerList(organization: Command): void {
  withServerOptions(organization.command('list'), 'the scope admin')
    .summary('list the organizations')
    .option('--json', 'print an array of organizations, oldest first')
    .action(async (options: Options) => {
      await runCommand(async () => {
        const listed = await withInstallation(options, (one) => one.listOrganizations())
        const lines = listed.map(toLine)
        print(options.json, listed.map(toJson), lines.join('\n') || 'There are no organizations.')
      })
    })
}

/** `team=payments` -> `{ team: 'payments' }`, added to the labels before. */
function addLabel(text: string, before: Readonly<Record<string, string>>) {
  const end = text.indexOf('=')
  if (end < 1) {
    throw new InvalidArgumentError(
      'Write a key, an equals sign and a value, such as team=payments.',
    )
  }
  return { ...before, [text.slice(0, end)]: text.slice(end + 1) }
}

function registerDelete(organization: Command): void {
  withServerOptions(organization.command('delete'), 'the scope admin')
    .summary('delete an organization with everything that is stored of it')
    .description(
      'Deletes an organization. At once, its API keys and sessions are refused everywhere, and nothing is published or sent for it. The workers then delete all its rows in the background; only a tombstone is left: the id, when, and by whom. Nothing brings the organization back. Run the command again to see how far the deletion is.',
    )
    .argument('<id>', 'the organization, org_…')
    .option('--force', 'also if it has enabled webhooks: deliveries that wait are not sent', false)
    .option('--wait', 'end when everything is deleted', false)
    .option(
      '--json',
      'print {"id":"org_…","requested_at":"…","requested_by":"…","deleted_rows":1,"finished_at":null}',
    )
    .action(async (id: string, options: DeleteOptions) => {
      await runCommand(async () => {
        const deletion = await withInstallation(options, async (one) => {
          const begun = await one.deleteOrganization(id, options.force)
          return options.wait ? await waitForEnd(one, id, begun) : begun
        })
        print(options.json, deletionToJson(id, deletion), deletionToLine(id, deletion))
      })
    })
}

const POLL_MS = 500

async function waitForEnd(one: Installation, id: string, begun: Deletion): Promise<Deletion> {
  let deletion = begun
  while (deletion.finishedAt === null) {
    await sleep(POLL_MS)
    deletion = (await one.findDeletion(id)) ?? deletion
  }
  return deletion
}

function deletionToJson(id: string, deletion: Deletion) {
  return {
    id,
    requested_at: deletion.requestedAt,
    requested_by: deletion.requestedBy,
    deleted_rows: deletion.deletedRows,
    finished_at: deletion.finishedAt,
  }
}

function deletionToLine(id: string, { deletedRows, finishedAt }: Deletion): string {
  const rows = `${deletedRows.toLocaleString('en')} rows`
  return finishedAt === null
    ? `${id} is deleted: nothing of it can be used any more. The workers delete its rows in the background: ${rows} so far.`
    : `${id} is deleted, and nothing of it is left but the tombstone. ${rows} were deleted.`
}

function toJson({ id, name, uid, metadata, createdAt }: Organization) {
  return { id, name, uid, metadata, created_at: createdAt }
}

function toLine({ id, name, uid }: Organization): string {
  return uid === null ? `${id}  ${name}` : `${id}  ${name}  (uid ${uid})`
}
