import type { Command } from 'commander'
import { COMMAND_LINE } from '../access/actor.ts'
import type { Organization } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { createOrganization, listOrganizations } from '../organizations/organization.ts'
import { print, runCommand, withServices } from './run-command.ts'

/** `posthorn organization create` and `list`: the tenants. */
export function registerOrganization(program: Command): void {
  const organization = program.command('organization').summary('manage organizations')
  registerCreate(organization)
  registerList(organization)
}

function registerCreate(organization: Command): void {
  organization
    .command('create')
    .summary('make an organization')
    .description(
      'Makes an organization, without keys or webhooks. Its id is what the other commands ask for.',
    )
    .argument('<name>', 'a label of 1 to 200 characters')
    .option('--json', 'print {"id":"org_…","name":"…","created_at":"…"}')
    .action(async (name: string, { json }: { json?: boolean }) => {
      await runCommand(() =>
        withServices(async ({ database }) => {
          const made = await createOrganization(database.prisma, { name }, COMMAND_LINE)
          const listed = toListed(made)
          print(json, listed, inWords(listed))
        }),
      )
    })
}

function registerList(organization: Command): void {
  organization
    .command('list')
    .summary('list the organizations')
    .option('--json', 'print an array of organizations, oldest first')
    .action(async ({ json }: { json?: boolean }) => {
      await runCommand(() =>
        withServices(async ({ database }) => {
          const listed = (await listOrganizations(database.prisma)).map(toListed)
          print(json, listed, listed.map(inWords).join('\n') || 'There are no organizations.')
        }),
      )
    })
}

function toListed({ id, name, createdAt }: Organization) {
  return { id: publicId('organization', id), name, created_at: createdAt }
}

function inWords({ id, name }: ReturnType<typeof toListed>): string {
  return `${id}  ${name}`
}
