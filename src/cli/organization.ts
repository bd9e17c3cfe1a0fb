import type { Command } from 'commander'
import { run, type ServerAccess } from './api.ts'
import { print, runCommand, withServices } from './run-command.ts'
import { openAccess, type ServerOptions, withServerOptions } from './server-access.ts'

interface CreateOptions {
  readonly uid?: string
  readonly json?: boolean
}

interface Options extends ServerOptions {
  readonly json?: boolean
}

/** `posthorn organization create`, `list` and `delete`. */
export function registerOrganization(program: Command): void {
  const organization = program.command('organization').summary('manage organizations')
  registerCreate(organization)
  registerList(organization)
  registerDelete(organization)
}

/** In the database: the first API key needs an organization. */
function registerCreate(organization: Command): void {
  organization
    .command('create')
    .summary('create an organization in the database')
    .description(
      'Creates an organization without API keys and webhooks in the database of the settings, and prints its id, which other commands need.',
    )
    .argument('<name>', 'a label of 1 to 200 characters')
    .option('--uid <uid>', 'a name of your choice, unique in the installation')
    .option('--json', 'print {"id":"org_…","name":"…","uid":"…","metadata":{},"created_at":"…"}')
    .action(async (name: string, { uid, json }: CreateOptions) => {
      await runCommand(async () => {
        const [{ createOrganization }, { COMMAND_LINE }, { publicId }] = await Promise.all([
          import('../organizations/organization.ts'),
          import('../access/actor.ts'),
          import('../db/ids.ts'),
        ])
        const created = await withServices(({ database: { prisma } }) =>
          createOrganization(prisma, { name, uid }, COMMAND_LINE),
        )
        const shown = { ...created, id: publicId('organization', created.id) }
        print(json, toJson(shown), toLine(shown))
      })
    })
}

function registerList(organization: Command): void {
  withServerOptions(organization.command('list'), 'the scope admin')
    .summary('list the organizations')
    .option('--json', 'print an array of organizations, oldest first')
    .action(async (options: Options) => {
      await runCommand(async () => {
        const listed = await allPages<Organization>(await openAccess(options), ORGANIZATIONS)
        const lines = listed.map(toLine)
        print(options.json, listed.map(toJson), lines.join('\n') || 'There are no organizations.')
      })
    })
}

const ORGANIZATIONS = `query ($after: String) {
  organizations(first: 100, after: $after) {
    nodes { id name uid metadata createdAt }
    pageInfo { hasNextPage endCursor }
  }
}`

interface Organization {
  readonly id: string
  readonly name: string
  readonly uid: string | null
  readonly metadata: unknown
  readonly createdAt: string | Date
}

function toJson({ id, name, uid, metadata, createdAt }: Organization) {
  return { id, name, uid, metadata, created_at: createdAt }
}

function toLine({ id, name, uid }: Organization): string {
  return uid === null ? `${id}  ${name}` : `${id}  ${name}  (uid ${uid})`
}

interface Page<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** All nodes of a connection, oldest first: lists are newest first. */
export async function allPages<Node>(access: ServerAccess, query: string): Promise<Node[]> {
  const nodes: Node[] = []
  for (let after: string | null = null; ; ) {
    const page: Page<Node> = await run(access, query, { after })
    nodes.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return nodes.toReversed()
    after = page.pageInfo.endCursor
  }
}

function registerDelete(organization: Command): void {
  withServerOptions(organization.command('delete'), 'the scope admin')
    .summary('delete an organization with everything that is stored of it')
    .description(
      'Deletes an organization. At once, its API keys and sessions are refused everywhere, and nothing is published or sent for it. The workers then delete all its rows in the background; only a tombstone is left: the id, when, and by whom. Nothing brings the organization back. Run the command again to see how far the deletion is.',
    )
    .argument('<id>', 'the organization, org_…')
    .option('--force', 'also if it has enabled webhooks: deliveries that wait are not sent', false)
    .option(
      '--json',
      'print {"id":"org_…","requested_at":"…","requested_by":"…","deleted_rows":1,"finished_at":null}',
    )
    .action(async (id: string, { force, json, ...options }: Options & { force: boolean }) => {
      await runCommand(async () => {
        const access = await openAccess(options)
        const { deletion } = await run<{ deletion: Deletion }>(access, DELETE, { id, force })
        const { createdAt, requestedBy, changed, finishedAt } = deletion
        const by = { requested_at: createdAt, requested_by: requestedBy }
        const progress = { deleted_rows: changed, finished_at: finishedAt }
        print(json, { id, ...by, ...progress }, deletionToLine(id, deletion))
      })
    })
}

interface Deletion {
  readonly createdAt: string
  readonly requestedBy: string
  readonly changed: number
  readonly finishedAt: string | null
}

const DELETE = `mutation ($id: ID!, $force: Boolean!) {
  deleteOrganization(id: $id, input: { force: $force }) {
    ... on DeleteOrganizationSuccess {
      deletion { createdAt requestedBy changed finishedAt }
    }
    ... on UserError { code message }
  }
}`

function deletionToLine(id: string, { changed, finishedAt }: Deletion): string {
  const rows = `Deleted rows: ${changed.toLocaleString('en')}`
  return finishedAt === null
    ? `${id} is deleted: nothing of it can be used any more. The workers delete its rows in the background. ${rows} so far.`
    : `${id} is deleted, and nothing of it is left but the tombstone. ${rows}.`
}
