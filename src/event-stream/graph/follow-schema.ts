import type { GraphQLSchema } from 'graphql'
import type { Sql } from '../../db/client.ts'
import { createEventSchema } from '../../event-graph/event-schema.ts'
import type { SourceType } from '../../event-graph/model.ts'
import { printEventGraph } from '../../event-graph/print-event-graph.ts'
import { SOURCE_TYPES } from '../../event-graph/read-source-types.ts'
import { OPERATIONAL_PREFIX } from '../../event-types/event-type.ts'
import { readVersion } from '../../event-types/follow-catalogue.ts'
import { atMostEvery } from '../../lib/at-most-every.ts'
import { streamRoots } from './root-types.ts'

/** A graph of events. */
export interface EventGraph {
  readonly schema: GraphQLSchema
  /** The schema definition language. It is printed once, when somebody asks for it. */
  readonly text: () => Promise<string>
}

export interface FollowedGraph extends EventGraph {
  /** Without operational events. It is made when somebody asks for it. */
  readonly ofPartners: () => Promise<EventGraph>
}

/** How often Postgres is asked whether the catalogue has changed. */
const LOOK_EVERY_MS = 1_000

/**
 * The graph of the event types that are not archived. It is made for the first call, and again after the catalogue has
 * changed, in turns: other requests are served meanwhile.
 */
export function followGraph(sql: Sql): () => Promise<FollowedGraph> {
  let made: { readonly version: string; readonly graph: FollowedGraph } | null = null
  let making: Promise<FollowedGraph> | null = null

  async function make(version: string): Promise<FollowedGraph> {
    const { rows } = await sql.query<SourceType>({ name: 'read_source_types', text: SOURCE_TYPES })
    const ofPartners = rows.filter(({ name }) => !name.startsWith(OPERATIONAL_PREFIX))
    const graph = { ...(await graphOf(rows)), ofPartners: once(() => graphOf(ofPartners)) }
    made = { version, graph }
    return graph
  }

  return atMostEvery(LOOK_EVERY_MS, async () => {
    const version = await readVersion(sql)
    if (made?.version === version) return made.graph
    making ??= make(version).finally(() => {
      making = null
    })
    return await making
  })
}

async function graphOf(types: readonly SourceType[]): Promise<EventGraph> {
  const schema = await createEventSchema(types, streamRoots, { isStream: true })
  return { schema, text: once(() => printEventGraph(schema)) }
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null
  return () => {
    made ??= make().catch((error) => {
      made = null
      throw error
    })
    return made
  }
}
