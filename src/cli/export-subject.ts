import type { Command } from 'commander'
import { ORGANIZATION_OPTION } from './installation/only-organization.ts'
import { organizationIn } from './organization-in.ts'
import { readInput } from './read-input.ts'
import { runCommand, withServices } from './run-command.ts'

interface Options {
  readonly organization?: string
  readonly key: string
  readonly value: string
}

/** `posthorn export-subject`: what is stored about the value of a search key, such as a person's address. */
export function registerExportSubject(program: Command): void {
  program
    .command('export-subject')
    .summary('print what is stored about the value of a search key')
    .description(
      'Prints the events with a value at a search key, each with its deliveries and attempts, and the audit entries that name the value, as lines of JSON. The audit log records the export, without the value.',
    )
    .requiredOption('--key <path>', 'a search key, such as $.customer.email')
    .requiredOption('--value <text>', 'the value at the search key; - reads it from standard input')
    .option('--organization <id>', ORGANIZATION_OPTION)
    .addHelpText(
      'after',
      `
Example:
  $ posthorn export-subject --key '$.customer.email' --value ada@example.org > ada.jsonl`,
    )
    .action(async ({ organization, key, value }: Options) => {
      const [{ exportSubject }, { COMMAND_LINE }] = await Promise.all([
        import('../erasure/export-subject.ts'),
        import('../access/actor.ts'),
      ])
      await runCommand(async () => {
        const equals = value === '-' ? (await readInput('-')).toString().trim() : value
        await withServices(async ({ database: { prisma, pool } }) => {
          const { id } = await organizationIn(prisma, organization)
          const deps = { prisma, sql: pool, actor: COMMAND_LINE }
          for await (const line of exportSubject(deps, id, { path: key, equals })) {
            process.stdout.write(line)
          }
        })
      })
    })
}
