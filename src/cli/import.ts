import type { Command } from 'commander'
import { excerpt } from '../lib/excerpt.ts'
import type { Difference } from '../transfer/find-differences.ts'
import type { ImportResult } from '../transfer/import-contents.ts'
import { countsJson, describeCounts } from './export.ts'
import { readInput } from './read-input.ts'
import { passphraseFileOption, readPassphrase } from './read-passphrase.ts'
import { print, runCommand, withServices } from './run-command.ts'

interface ImportCommandOptions {
  readonly passphraseFile?: string
  readonly check?: boolean
  readonly disabled?: boolean
  readonly json?: boolean
}

/** `posthorn import`: creates what an export has and the database does not. */
export function registerImport(program: Command): void {
  program
    .command('import')
    .summary('create what an export has')
    .description(
      'Creates the organizations, event types, webhooks and API keys of a file of `posthorn export`, with the same ids, secrets and tokens. Everything is checked first, and all or nothing is written. What exists already stays as it is; if it differs from the file, the command lists the differences and writes nothing.',
    )
    .argument(
      '[file]',
      'a file that `posthorn export` wrote; - or no file reads standard input',
      '-',
    )
    .addOption(passphraseFileOption())
    .option('--check', 'only check and compare, and write nothing')
    .option(
      '--disabled',
      'import every webhook disabled, so that only the other installation sends',
    )
    .option(
      '--json',
      'print {"created":{…},"replaced":{"event_types":0},"unchanged":{…},"differences":[…],"written":true}',
    )
    .action(async (file: string, options: ImportCommandOptions) => {
      await runCommand(async () => {
        const bytes = await readInput(file)
        const passphrase = await readPassphrase(options.passphraseFile, { isNew: false })
        const result = await importFile(bytes, passphrase, options)
        const hasDifferences = result.differences.length > 0
        const written = !hasDifferences && options.check !== true
        if (options.json || !hasDifferences) {
          print(options.json, toJson(result, written), toText(result, written))
        }
        if (hasDifferences) throw new Error(explainDifferences(result.differences))
      })
    })
}

async function importFile(
  bytes: Uint8Array,
  passphrase: string,
  { check, disabled }: ImportCommandOptions,
): Promise<ImportResult> {
  const [{ openSealed }, { checkContents }, { importContents }, { requireListedKeys }] =
    await Promise.all([
      import('../transfer/sealed-file.ts'),
      import('../transfer/check-contents.ts'),
      import('../transfer/import-contents.ts'),
      import('../encryption/stored-secrets.ts'),
    ])
  const opened = await openSealed(bytes, passphrase)
  return await withServices(async ({ database: { pool }, webhooks }) => {
    const { keyring, maxWebhooks } = webhooks
    await requireListedKeys(pool, keyring)
    const contents = await checkContents(opened, webhooks)
    return await importContents(pool, keyring, contents, {
      maxWebhooks,
      disabled,
      checkOnly: check,
    })
  })
}

function toJson(
  { created, replacedEventTypes, unchanged, differences }: ImportResult,
  written: boolean,
) {
  return {
    created: countsJson(created),
    replaced: { event_types: replacedEventTypes },
    unchanged: countsJson(unchanged),
    differences,
    written,
  }
}

function toText(
  { created, replacedEventTypes, unchanged }: ImportResult,
  written: boolean,
): string {
  const lines = [
    `${written ? 'Created' : 'The import would create'} ${describeCounts(created)}.`,
    ...(replacedEventTypes > 0
      ? [
          `Event types of a fresh installation that give way to those of the file: ${replacedEventTypes}.`,
        ]
      : []),
    `Unchanged: ${describeCounts(unchanged)}.`,
  ]
  return lines.join('\n')
}

const MAX_LISTED = 50
const MAX_VALUE_LENGTH = 100

function explainDifferences(differences: readonly Difference[]): string {
  const show = (value: unknown) => excerpt(JSON.stringify(value), MAX_VALUE_LENGTH)
  const lines = differences
    .slice(0, MAX_LISTED)
    .map(
      (one) =>
        `  ${one.id} ${one.field}: ${show(one.database)} here, ${show(one.file)} in the file`,
    )
  const more = differences.length - lines.length
  return [
    'Nothing was imported: the database has objects of the file with other values.',
    ...lines,
    ...(more > 0 ? [`  And ${more} more; --json lists all.`] : []),
    'Make them equal in one of the two installations, and export again if you changed the other.',
  ].join('\n')
}
