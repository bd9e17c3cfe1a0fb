import type { Actor } from '../../access/actor.ts'
import type { Database, Sql } from '../../db/client.ts'
import { inTransaction } from '../../db/transaction.ts'
import { changedMeanwhile } from './catalogue-error.ts'
import type { CatalogueType, GivenType } from './catalogue-type.ts'
import { checkCatalogue, checkPayloads } from './check-catalogue.ts'
import { compareCatalogue, type TypeChange } from './compare-catalogue.ts'
import { findFindings } from './find-findings.ts'
import type { Finding } from './finding.ts'
import { readCatalogue } from './read-catalogue.ts'
import { writeCatalogue } from './write-catalogue.ts'

export interface CatalogueImportOptions {
  /** Whether to only compare. Default: false. */
  readonly dryRun?: boolean | undefined
  /** Whether to archive the event types that are not given. Default: false. */
  readonly archiveMissing?: boolean | undefined
  /** Whether to write changes that break something. Default: false. */
  readonly force?: boolean | undefined
}

export interface CatalogueImport {
  readonly changes: readonly (Pick<TypeChange, 'name' | 'change' | 'fields'> & {
    readonly findings: readonly Finding[]
  })[]
  readonly unchanged: number
  readonly written: boolean
}

/**
 * Makes the catalogue equal to the given event types, all or nothing. With findings, nothing is written unless `force` is
 * set.
 */
export async function importCatalogue(
  pool: Database['pool'],
  given: readonly GivenType[],
  { dryRun = false, archiveMissing = false, force = false }: CatalogueImportOptions,
  actor: Actor,
): Promise<CatalogueImport> {
  const file = checkCatalogue(given)
  const database = await readCatalogue(pool)
  const changes = compareCatalogue(database, file, archiveMissing)
  await checkPayloads(changes.filter(hasNewPayload).map(({ after }) => after))
  const findings = await findFindings(pool, changes)
  const written = !dryRun && changes.length > 0 && (force || findings.size === 0)
  if (written) {
    await inTransaction(pool, async (sql) => {
      await requireUnchanged(sql, JSON.stringify(database))
      await writeCatalogue(sql, actor, changes)
    })
  }
  return {
    changes: changes.map(({ name, change, fields }) => ({
      name,
      change,
      fields,
      findings: findings.get(name) ?? [],
    })),
    unchanged: countUnchanged(file, changes),
    written,
  }
}

function countUnchanged(file: readonly CatalogueType[], changes: readonly TypeChange[]): number {
  const changed = new Set(changes.map(({ name }) => name))
  return file.filter(({ name }) => !changed.has(name)).length
}

function hasNewPayload({ before, fields }: TypeChange): boolean {
  return before === null || fields.includes('schema') || fields.includes('example')
}

/** The comparison takes no locks: it can take seconds, and others edit event types meanwhile. */
async function requireUnchanged(sql: Sql, compared: string): Promise<void> {
  await sql.query(`select pg_advisory_xact_lock(hashtextextended('posthorn.import', 0))`)
  await sql.query('select from posthorn.event_types order by name for update')
  if (JSON.stringify(await readCatalogue(sql)) !== compared) throw changedMeanwhile()
}
