import type { Command } from 'commander'
import { COMMAND_LINE } from '../auth/access/actor.ts'
import { publicId } from '../db/ids.ts'
import { createOrganization } from '../organizations/organization.ts'
import { allPages, mutation, run } from './api.ts'
import { printedRow, printedTable, printing, type Row, withServices } from './command.ts'
import { call, withServerOptions } from './server-command.ts'

/** `posthorn organization create`, `list` and `delete`. */
export function registerOrganization(program: Command): void {
  const organization = program.command('organization').description('Manages organizations.')
  // In the database: the first API key needs an organization.
  organization
    .command('create')
    .description(
      'Creates an organization without API keys and webhooks in the database of the settings, and prints its id, which other commands need.',
    )
    .argument('<name>', 'a label of 1 to 200 characters')
    .option('--uid <uid>', 'a name of your choice, unique in the installation')
    .option('--json', 'print {"id":"org_…","name":"…","uid":"…","metadata":{},"created_at":"…"}')
    .action(
      printing(async (name: string, { uid }: { readonly uid?: string }) => {
        const created = await withServices(({ database: { prisma } }) =>
          createOrganization(prisma, { name, uid }, COMMAND_LINE),
        )
        const { metadata, createdAt } = created
        const named = { id: publicId('organization', created.id), name: created.name }
        const shown = { ...named, uid: created.uid, metadata, created_at: createdAt }
        return printedRow(shown, COLUMNS)
      }),
    )
  withServerOptions(organization.command('list'), 'the scope admin')
    .description('Lists the organizations.')
    .option('--json', 'print an array of organizations, oldest first')
    .action(
      call(async (client) => {
        const organizations = await allPages<Row>(client, 'organizations', FIELDS)
        return printedTable(organizations, COLUMNS, 'There are no organizations.')
      }),
    )
  withServerOptions(organization.command('delete'), 'the scope admin')
    .description(
      'Deletes an organization. At once, its API keys and sessions are refused everywhere, and nothing is published or sent for it. The workers then delete all its rows in the background; only a tombstone is left: the id, when, and by whom. Nothing brings the organization back. Run the command again to see how far the deletion is.',
    )
    .argument('<id>', 'the organization, org_…')
    .option('--force', 'also if it has enabled webhooks: deliveries that wait are not sent', false)
    .option(
      '--json',
      'print {"id":"org_…","requested_at":"…","requested_by":"…","deleted_rows":1,"finished_at":null}',
    )
    .action(
      call(async (client, id: string, { force }: { readonly force: boolean }) => {
        const { deletion } = await run<{ deletion: Deletion }>(client, DELETE, { id, force })
        return [{ id, ...deletion }, deletionToLine(id, deletion)]
      }),
    )
}

const FIELDS = 'id name uid metadata created_at: createdAt'

const COLUMNS = ['id', 'uid', 'name']

interface Deletion {
  readonly deleted_rows: number
  readonly finished_at: string | null
}

const DELETE = mutation(
  'deleteOrganization(id: $id, input: { force: $force })',
  '$id: ID!, $force: Boolean!',
  'deletion { requested_at: createdAt requested_by: requestedBy deleted_rows: changed finished_at: finishedAt }',
)

function deletionToLine(id: string, { deleted_rows, finished_at }: Deletion): string {
  const rows = `Deleted rows: ${deleted_rows.toLocaleString('en')}`
  return finished_at === null
    ? `${id} is deleted: nothing of it can be used any more. The workers delete its rows in the background. ${rows} so far.`
    : `${id} is deleted, and nothing of it is left but the tombstone. ${rows}.`
}
