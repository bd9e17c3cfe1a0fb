import type { GraphQLSchema } from 'graphql'
import type { Sql } from '../../db/client.ts'
import { createEventSchema } from '../../event-graph/event-schema.ts'
import type { SourceType } from '../../event-graph/model.ts'
import { printEventGraph } from '../../event-graph/print-event-graph.ts'
import { SOURCE_TYPES } from '../../event-graph/read-source-types.ts'
import { readVersion } from '../../event-types/follow-catalogue.ts'
import { atMostEvery } from '../../lib/at-most-every.ts'
import { streamRoots } from './root-types.ts'

/** A graph of events. */
export interface EventGraph {
  readonly schema: GraphQLSchema
  /** The schema definition language. It is printed once, when somebody asks for it. */
  readonly text: () => Promise<string>
}

/** How often Postgres is asked whether the catalogue has changed. */
const LOOK_EVERY_MS = 1_000

/**
 * The graph of the event types that are not archived. It is made for the first call, and again after the catalogue has
 * changed, in turns: other requests are served meanwhile.
 */
export function followGraph(sql: Sql): () => Promise<EventGraph> {
  let made: { readonly version: string; readonly graph: EventGraph } | null = null
  let making: Promise<EventGraph> | null = null

  async function make(version: string): Promise<EventGraph> {
    const { rows } = await sql.query<SourceType>({ name: 'read_source_types', text: SOURCE_TYPES })
    const schema = await createEventSchema(rows, streamRoots, { isStream: true })
    const graph = { schema, text: once(() => printEventGraph(schema)) }
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
