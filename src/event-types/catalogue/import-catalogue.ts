import type { Actor } from '../../auth/access/actor.ts'
import { SOURCE_TYPES } from '../../bodies/event-graph/event-schema.ts'
import type { SourceType } from '../../bodies/event-graph/event-types.ts'
import type { Database, Sql } from '../../db/client.ts'
import { inTransaction } from '../../db/transaction.ts'
import {
  type CatalogueType,
  type GivenCatalogue,
  type Refusal,
  readCatalogue,
  UnusableCatalogue,
} from './catalogue-type.ts'
import {
  checkCatalogue,
  checkPayloads,
  compareCatalogue,
  parsed,
  type TypeChange,
} from './check-catalogue.ts'
import {
  type Finding,
  refusedEvents,
  SELECTING_WEBHOOKS,
  type SelectingRow,
  selectionFindings,
} from './findings.ts'
import { changedMeanwhile, writeCatalogue } from './write-catalogue.ts'

export interface CatalogueImportOptions {
  /** Whether to only compare. Default: false. */
  readonly dryRun?: boolean | undefined
  /** Whether to archive the event types that are not given. Default: false. */
  readonly archiveMissing?: boolean | undefined
  /** Whether to write changes that break something. Default: false. */
  readonly force?: boolean | undefined
  /** Whether to write changes that break nothing but selections of webhooks. Default: false. */
  readonly acceptBrokenSelections?: boolean | undefined
  /** Whether an event type or an example that cannot be imported is an error. Default: false. */
  readonly strict?: boolean | undefined
}

export interface CatalogueImport {
  readonly changes: readonly (Pick<TypeChange, 'name' | 'change' | 'fields'> & {
    readonly findings: readonly Finding[]
  })[]
  readonly unchanged: number
  /** The event types that cannot be imported. They stay as they are in the database. */
  readonly refused: readonly Refusal[]
  /** The examples that cannot be imported. */
  readonly warnings: readonly Refusal[]
  readonly written: boolean
}

/**
 * Makes the catalogue equal to the given event types, but for those that cannot be imported; with `strict`, all or nothing.
 * With findings, nothing is written unless `force` is set.
 */
export async function importCatalogue(
  pool: Database['pool'],
  given: GivenCatalogue,
  {
    dryRun = false,
    archiveMissing = false,
    force = false,
    acceptBrokenSelections = false,
    strict = false,
  }: CatalogueImportOptions,
  actor: Actor,
): Promise<CatalogueImport> {
  const database = await readCatalogue(pool)
  const { file, refused, warnings } = await checkFile(database, given)
  if (strict && refused.length + warnings.length > 0) {
    throw new UnusableCatalogue([...refused, ...warnings].map(({ problem }) => problem))
  }
  const refusedNames = new Set(refused.map(({ name }) => name))
  const kept = database.filter(({ name }) => !refusedNames.has(name))
  const changes = compareCatalogue(kept, file, archiveMissing)
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
    refused,
    warnings,
    written,
  }
}

/** The event types of the file that can be imported. Only schemas and examples that differ from the database are checked. */
async function checkFile(database: readonly CatalogueType[], given: GivenCatalogue) {
  const { types, refused } = checkCatalogue(given.types)
  const differing = new Set(
    compareCatalogue(database, types, false)
      .filter(hasNewPayload)
      .map(({ name }) => name),
  )
  const [changed, same] = [true, false].map((differs) =>
    types.filter(({ name }) => differing.has(name) === differs),
  ) as [CatalogueType[], CatalogueType[]]
  const checked = await checkPayloads(changed)
  return {
    file: [...same, ...checked.types],
    refused: [...given.refused, ...refused, ...checked.refused],
    warnings: checked.warnings,
  }
}

/** What each of the changes breaks, by the name of the event type. An added event type breaks nothing. */
async function findFindings(
  sql: Sql,
  changes: readonly TypeChange[],
): Promise<ReadonlyMap<string, readonly Finding[]>> {
  const findings = new Map<string, readonly Finding[]>()
  for (const { name, fields, before, after } of changes) {
    if (before === null || !fields.includes('schema')) continue
    const found = await refusedEvents(sql, name, parsed(after.schema))
    if (found !== null) findings.set(name, [found])
  }
  // A change can rename the type of an event type that it does not change: the first change then tells of it.
  for (const [eventType, found] of await brokenSelections(sql, changes)) {
    const isChanged = changes.some(({ name }) => name === eventType)
    const name = isChanged ? eventType : (changes[0]?.name ?? eventType)
    findings.set(name, [...(findings.get(name) ?? []), ...found])
  }
  return findings
}

async function brokenSelections(
  sql: Sql,
  changes: readonly TypeChange[],
): Promise<Map<string, Finding[]>> {
  const { rows: webhooks } = await sql.query<SelectingRow>(SELECTING_WEBHOOKS)
  if (webhooks.length === 0) return new Map()
  const { rows: before } = await sql.query<SourceType>(SOURCE_TYPES)
  const changed = new Set(changes.map(({ name }) => name))
  const after = [
    ...before.filter(({ name }) => !changed.has(name)),
    ...changes
      .filter((change) => !change.after.archived)
      .map(({ name, after: { description, schema } }) => ({ name, description, schema })),
  ]
  return await selectionFindings(webhooks, before, after)
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
