import { setTimeout } from 'node:timers/promises'
import type { Sql } from '../../db/client.ts'
import { compileSchema } from '../../lib/json-schema.ts'
import type { Finding } from './findings.ts'

/** The newest events of a type that a new schema is tried on. */
const MAX_EVENTS = 1_000
/** What one statement reads: at most 25 MiB of data. */
const PAGE_EVENTS = 100

/** Whether the schema refuses stored events, which were accepted before. Test events and erased ones do not count. */
export async function refusedEvents(
  sql: Sql,
  name: string,
  schema: unknown,
): Promise<Finding | null> {
  if (typeof schema !== 'object' || schema === null) return null
  const uuids = await newestEvents(sql, name)
  if (uuids.length === 0) return null
  const check = await compileSchema(schema)
  let refused = 0
  let first: { id: string; problem: string } | null = null
  for (let at = 0; at < uuids.length; at += PAGE_EVENTS) {
    for (const { id, data } of await readData(sql, uuids.slice(at, at + PAGE_EVENTS))) {
      const [problem] = check(JSON.parse(data)) ?? []
      if (problem === undefined) continue
      refused += 1
      first ??= { id, problem }
    }
    await setTimeout(0)
  }
  if (first === null) return null
  const events =
    uuids.length === 1 ? 'the only event' : `the newest ${uuids.length.toLocaleString('en')} events`
  return {
    kind: 'refuses_accepted',
    message: `The schema refuses ${refused.toLocaleString('en')} of ${events}, which were accepted. ${first.id}: ${first.problem}.`,
    remedy: 'Change the publishers first, or let the schema accept this data.',
    eventId: first.id,
  }
}

/** By the index on organization, type and id. */
async function newestEvents(sql: Sql, name: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `select newest.id from posthorn.organizations as o
     cross join lateral (
       select e.id from posthorn.events as e
       where e.organization_id = o.id and e.type = $1 and not e.is_test order by e.id desc limit $2
     ) as newest
     order by newest.id desc limit $2`,
    [name, MAX_EVENTS],
  )
  return rows.map(({ id }) => id)
}

async function readData(sql: Sql, uuids: readonly string[]) {
  const { rows } = await sql.query<{ id: string; data: string }>(
    `select posthorn.type_id('evt', id) as id, data from posthorn.events where id = any ($1) and erased_at is null order by id desc`,
    [uuids],
  )
  return rows
}
