import type { Actor } from '../../auth/access/actor.ts'
import type { Db } from '../../db/client.ts'
import type { PrismaClient } from '../../db/generated/prisma/client.ts'
import { DomainError } from '../../lib/errors.ts'
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
import { type Finding, refusedEvents, selectionFindings } from './findings.ts'
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
  prisma: PrismaClient,
  given: GivenCatalogue,
  { dryRun, archiveMissing = false, force, acceptBrokenSelections, strict }: CatalogueImportOptions,
  actor: Actor,
): Promise<CatalogueImport> {
  const database = await readCatalogue(prisma)
  const { file, refused, warnings } = await checkFile(database, given)
  if (strict && refused.length + warnings.length > 0) {
    throw new UnusableCatalogue([...refused, ...warnings].map(({ problem }) => problem))
  }
  const refusedNames = new Set(refused.map(({ name }) => name))
  const kept = database.filter(({ name }) => !refusedNames.has(name))
  const changes = compareCatalogue(kept, file, archiveMissing)
  const findings = await findFindings(prisma, changes)
  const isAccepted = ({ kind }: Finding) =>
    force || (acceptBrokenSelections && kind === 'breaks_selection')
  const written = !dryRun && changes.length > 0 && [...findings.values()].flat().every(isAccepted)
  if (written) {
    await prisma.$transaction(async (tx) => {
      const isUnchanged = await lockUnchanged(tx, JSON.stringify(database))
      if (!isUnchanged || !(await writeCatalogue(tx, actor, changes))) throw changedMeanwhile()
    })
  }
  return {
    changes: changes.map(({ name, change, fields }) => ({
      name,
      change,
      fields,
      findings: findings.get(name) ?? [],
    })),
    unchanged: file.filter(({ name }) => !changes.some((change) => change.name === name)).length,
    refused,
    warnings,
    written,
  }
}

/** The event types of the file that can be imported. Only schemas and examples that differ from the database are checked. */
async function checkFile(database: readonly CatalogueType[], given: GivenCatalogue) {
  const { types, refused } = checkCatalogue(given.types)
  const differing = compareCatalogue(database, types, false).filter(hasNewPayload)
  const { true: changed = [], false: same = [] } = Object.groupBy(types, ({ name }) =>
    differing.some((change) => change.name === name) ? 'true' : 'false',
  )
  const checked = await checkPayloads(changed)
  return {
    file: [...same, ...checked.types],
    refused: [...given.refused, ...refused, ...checked.refused],
    warnings: checked.warnings,
  }
}

/** What each of the changes breaks, by the name of the event type. An added event type breaks nothing. */
async function findFindings(
  db: Db,
  changes: readonly TypeChange[],
): Promise<ReadonlyMap<string, readonly Finding[]>> {
  const findings = new Map<string, readonly Finding[]>()
  for (const { name, fields, before, after } of changes) {
    if (before === null || !fields.includes('schema')) continue
    const found = await refusedEvents(db, name, parsed(after.schema))
    if (found !== null) findings.set(name, [found])
  }
  // A change can rename the type of an event type that it does not change: the first change then tells of it.
  for (const { eventType, finding } of await selectionFindings(db, changes)) {
    const { name } =
      changes.find((change) => change.name === eventType) ?? (changes[0] as TypeChange)
    findings.set(name, [...(findings.get(name) ?? []), finding])
  }
  return findings
}

function hasNewPayload({ before, fields }: TypeChange): boolean {
  return before === null || fields.includes('schema') || fields.includes('example')
}

/** The comparison takes no locks: it can take seconds, and others edit event types meanwhile. */
async function lockUnchanged(tx: Db, compared: string): Promise<boolean> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('posthorn.import', 0))`
  await tx.$executeRaw`select from posthorn.event_types order by name for update`
  return JSON.stringify(await readCatalogue(tx)) === compared
}

function changedMeanwhile(): DomainError {
  return new DomainError(
    'conflict',
    'Somebody changed the catalogue during the import. Nothing was changed; import again.',
  )
}
