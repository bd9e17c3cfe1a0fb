import type { Sql } from '../db/client.ts'

/** Batches in one statement. */
const MAX_GIVEN = 1_000

/**
 * Gives positions to the committed batches of an organization, so that positions ascend in the order in which readers see
 * the events: a batch that commits late comes after those that were read before.
 */
export async function givePositions(sql: Sql, organizationId: string): Promise<void> {
  for (;;) {
    const { rowCount } = await sql.query({
      name: 'give_stream_positions',
      text: GIVE_POSITIONS,
      values: [organizationId, MAX_GIVEN],
    })
    if ((rowCount ?? 0) < MAX_GIVEN) return
  }
}

/**
 * Who holds the lock gives positions, and its commit is visible before the next one begins. A statement that has waited for
 * the lock looks again at each row before it changes the row. The index on batches without a position serves it.
 */
const GIVE_POSITIONS = `
  with waiting as materialized (
    select from posthorn.published_batches where organization_id = $1 and position is null limit 1
  ),
  locked as materialized (
    select pg_advisory_xact_lock(hashtextextended('posthorn.event_stream:' || $1::uuid, 0)) from waiting
  ),
  given as materialized (
    select id, nextval('posthorn.stream_positions') as position
    from (
      select b.id from locked, posthorn.published_batches as b
      where b.organization_id = $1 and b.position is null
      order by b.id limit $2
    ) as sorted
  )
  update posthorn.published_batches as b set position = given.position
  from given where b.id = given.id and b.position is null`
