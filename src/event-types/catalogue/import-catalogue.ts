import type { Actor } from '../../access/actor.ts'
import type { Database, Sql } from '../../db/client.ts'
import { inTransaction } from '../../db/transaction.ts'
import { takenTypeNames } from '../../event-graph/check-names.ts'
import { NAME_KEYWORD } from '../../event-graph/graphql-name.ts'
import type { SourceType } from '../../event-graph/model.ts'
import { SOURCE_TYPES } from '../../event-graph/read-source-types.ts'
import { catalogueAfter } from './catalogue-after.ts'
import { changedMeanwhile, unusable } from './catalogue-error.ts'
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
  /** Whether to write changes that break nothing but selections of webhooks. Default: false. */
  readonly acceptBrokenSelections?: boolean | undefined
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
  {
    dryRun = false,
    archiveMissing = false,
    force = false,
    acceptBrokenSelections = false,
  }: CatalogueImportOptions,
  actor: Actor,
): Promise<CatalogueImport> {
  const file = checkCatalogue(given)
  const database = await readCatalogue(pool)
  const changes = compareCatalogue(database, file, archiveMissing)
  await checkPayloads(changes.filter(hasNewPayload).map(({ after }) => after))
  await checkTypeNames(pool, changes)
  const findings = await findFindings(pool, changes)
  const isAccepted = ({ kind }: Finding) =>
    force || (acceptBrokenSelections && kind === 'breaks_selection')
  const written = !dryRun && changes.length > 0 && [...findings.values()].flat().every(isAccepted)
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

/** Throws one error with every name of the event graph that another event type has. */
async function checkTypeNames(sql: Sql, changes: readonly TypeChange[]): Promise<void> {
  const named = changes.filter(({ after }) => after.schema?.includes(NAME_KEYWORD))
  if (named.length === 0) return
  const { rows: before } = await sql.query<SourceType>(SOURCE_TYPES)
  const changed = new Set(named.map(({ name }) => name))
  const taken = takenTypeNames(catalogueAfter(before, changes), changed)
  if (taken.length > 0) throw unusable(taken.map((one) => `${one.eventType}: schema ${one.rule}`))
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
