import { setTimeout } from 'node:timers/promises'
import { selectionProblems } from '../../bodies/event-graph/compile-selection.ts'
import { namesOfTypes, readSourceTypes } from '../../bodies/event-graph/event-schema.ts'
import type { SourceType } from '../../bodies/event-graph/event-types.ts'
import type { SelectionPlan } from '../../bodies/event-graph/plan-selection.ts'
import type { Db } from '../../db/client.ts'
import { type CheckData, compileSchema } from '../../lib/json-schema.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import type { TypeChange } from './check-catalogue.ts'

/** What a change of the catalogue breaks. */
export interface Finding {
  /**
   * `refuses_accepted`: data that was accepted before is refused. `breaks_selection`: a webhook's selection takes what is
   * no longer there.
   */
  readonly kind: 'refuses_accepted' | 'breaks_selection'
  readonly message: string
  readonly remedy: string
  /** The newest event that is refused. */
  readonly eventId?: string
  /** The webhooks whose selection breaks. */
  readonly webhookIds?: readonly string[]
}

/** SQL: the webhooks with a selection, of all organizations, with the version that new deliveries have. */
const SELECTING_WEBHOOKS = `
  select posthorn.type_id('wh', w.id) as id, b.selection as text, b.plan
  from posthorn.webhooks as w join posthorn.webhook_bodies as b on b.id = w.body_id
  where w.selection is not null and w.deleted_at is null order by w.id`

interface SelectingRow {
  /** The public id. */
  readonly id: string
  readonly text: string
  /** JSON. */
  readonly plan: string
}

const MAX_LISTED = 5

/**
 * What changes of the catalogue break in selections, beside what was a problem before: one finding for each problem, with
 * an event type that it concerns. Others run in between.
 */
export async function selectionFindings(
  db: Db,
  changes: readonly TypeChange[],
): Promise<{ readonly eventType: string; readonly finding: Finding }[]> {
  const webhooks = await db.$queryRawUnsafe<SelectingRow[]>(SELECTING_WEBHOOKS)
  if (webhooks.length === 0) return []
  const before = await readSourceTypes(db)
  const changed = new Set(changes.map(({ name }) => name))
  const after = [
    ...before.filter(({ name }) => !changed.has(name)),
    ...changes.flatMap((change) => (change.after.archived ? [] : [change.after])),
  ]
  const concerned = changedTypes(before, after)
  // Many webhooks have the same selection.
  const selections = Map.groupBy(webhooks, ({ text, plan }) => `${text}\0${plan}`)
  const broken = await takeTurns([...selections.values()], (group) => {
    const [{ text, plan: json }] = group as [SelectingRow]
    const plan: SelectionPlan = JSON.parse(json)
    const eventType = plan.cases.map((one) => one.eventType).find((name) => concerned.has(name))
    if (eventType === undefined) return []
    const problems = selectionProblems(text, plan, after)
    const known = problems.length > 0 ? selectionProblems(text, plan, before) : []
    return problems
      .filter((problem) => !known.includes(problem))
      .map((problem) => ({ problem, eventType, webhookIds: group.map(({ id }) => id) }))
  })
  const byProblem = Map.groupBy(broken.flat(), ({ problem }) => problem)
  return [...byProblem].map(([problem, found]) => {
    const webhookIds = found.flatMap((one) => one.webhookIds)
    const more = webhookIds.length - MAX_LISTED
    const listed = `${webhookIds.slice(0, MAX_LISTED).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
    const finding: Finding = {
      kind: 'breaks_selection',
      message: `${problem} The selection of ${listed} takes it.`,
      remedy:
        'Change the selection of each of these webhooks first, or accept that each goes on sending what its selection took when it was saved.',
      webhookIds,
    }
    return { eventType: found[0]?.eventType ?? '', finding }
  })
}

/** The event types that go away, or get another schema or another name in the event graph. */
function changedTypes(before: readonly SourceType[], after: readonly SourceType[]): Set<string> {
  const [oldNames, newNames] = [namesOfTypes(before), namesOfTypes(after)]
  const schemas = new Map(after.map(({ name, schema }) => [name, schema]))
  return new Set(
    before
      .filter(
        ({ name, schema }) =>
          schemas.get(name) !== schema || newNames.get(name) !== oldNames.get(name),
      )
      .map(({ name }) => name),
  )
}

/** The newest events of a type that a new schema is tried on. */
const MAX_EVENTS = 1_000
/** What one statement reads: at most 25 MiB of data. */
const PAGE_EVENTS = 100

/** Whether the schema refuses stored events, which were accepted before. Test events and erased ones do not count. */
export async function refusedEvents(
  db: Db,
  name: string,
  schema: unknown,
): Promise<Finding | null> {
  if (typeof schema !== 'object' || schema === null) return null
  let check: CheckData | undefined
  const refused: { readonly id: string; readonly problem: string }[] = []
  let tried = 0
  let oldest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  while (tried < MAX_EVENTS) {
    const page = await newestEvents(db, name, oldest)
    for (const { uuid, id, data } of page) {
      check ??= await compileSchema(schema)
      const [problem] = check(JSON.parse(data)) ?? []
      if (problem !== undefined) refused.push({ id, problem })
      oldest = uuid
    }
    tried += page.length
    if (page.length < PAGE_EVENTS) break
    await setTimeout(0)
  }
  const [newest] = refused
  if (!newest) return null
  const events = tried === 1 ? 'the only event' : `the newest ${tried.toLocaleString('en')} events`
  return {
    kind: 'refuses_accepted',
    message: `The schema refuses ${refused.length.toLocaleString('en')} of ${events}, which were accepted. ${newest.id}: ${newest.problem}.`,
    remedy: 'Change the publishers first, or let the schema accept this data.',
    eventId: newest.id,
  }
}

/** Those before another one. By the index on organization, type and id. */
async function newestEvents(db: Db, name: string, before: string) {
  return await db.$queryRaw<{ uuid: string; id: string; data: string }[]>`
    select newest.id as uuid, posthorn.type_id('evt', newest.id) as id, data from posthorn.organizations as o
     cross join lateral (
       select e.id, e.data from posthorn.events as e
       where e.organization_id = o.id and e.type = ${name} and e.id < ${before}::uuid and not e.is_test and erased_at is null
       order by e.id desc limit ${PAGE_EVENTS}
     ) as newest
     order by newest.id desc limit ${PAGE_EVENTS}`
}
