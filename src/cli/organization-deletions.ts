import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Services } from '../run/services.ts'
import { runCommand, withServices } from './run-command.ts'

interface Options {
  readonly repeat?: string
}

/** `posthorn organization deletions`: lists the tombstones, and repeats the deletions in a restored database. */
export function registerOrganizationDeletions(organization: Command): void {
  organization
    .command('deletions')
    .summary('list the deleted organizations, or delete them again after a restore')
    .description(
      'Prints the deletions of organizations that the database of the settings has recorded, as lines of JSON: {"id":"org_…","requested_at":"…","requested_by":"…"}. With --repeat, it deletes again the organizations that a restored backup has brought back.',
    )
    .option(
      '--repeat <file>',
      'after a restore: delete again the organizations of a file that this command has written',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn organization deletions > deletions.jsonl
  $ posthorn organization deletions --repeat deletions.jsonl`,
    )
    .action(async ({ repeat }: Options) => {
      await runCommand(
        async () =>
          await withServices((one) => (repeat === undefined ? list(one) : repeatAll(one, repeat))),
      )
    })
}

async function list({ database }: Services): Promise<void> {
  const { printRecorded, readRecorded } = await import(
    '../organizations/deletion/recorded-deletions.ts'
  )
  for (const deletion of await readRecorded(database.pool)) {
    process.stdout.write(`${printRecorded(deletion)}\n`)
  }
}

async function repeatAll({ database }: Services, file: string): Promise<void> {
  const [{ parseRecorded }, { repeatDeletions }, { COMMAND_LINE }] = await Promise.all([
    import('../organizations/deletion/recorded-deletions.ts'),
    import('../organizations/deletion/repeat-deletions.ts'),
    import('../access/actor.ts'),
  ])
  const deletions = parseRecorded(await readFile(file, 'utf8'))
  const deps = { prisma: database.prisma, sql: database.pool }
  const repeated = await repeatDeletions(deps, deletions, COMMAND_LINE)
  for (const id of repeated) process.stdout.write(`${id} is deleted again.\n`)
  process.stdout.write(
    `Repeated ${repeated.length.toLocaleString('en')} of ${deletions.length.toLocaleString('en')} deletions. The workers delete the rows. The database had nothing of the other organizations.\n`,
  )
}
