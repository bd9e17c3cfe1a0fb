import type { GraphQLSchema } from 'graphql'
import type { Sql } from '../../db/client.ts'
import { createEventSchema, printEventGraph, SOURCE_TYPES } from '../../event-graph/event-schema.ts'
import type { SourceType } from '../../event-graph/event-types.ts'
import { readVersion } from '../../event-types/follow-catalogue.ts'
import { followVersion } from '../../lib/follow-version.ts'
import { streamRoots } from './root-types.ts'

/** A graph of events. */
export interface EventGraph {
  readonly schema: GraphQLSchema
  /** The schema definition language. It is printed once, when somebody asks for it. */
  readonly text: () => Promise<Uint8Array<ArrayBuffer>>
}

/** The graph of the event types that are not archived. It is made in turns: other requests are served meanwhile. */
export function followGraph(sql: Sql): () => Promise<EventGraph> {
  return followVersion(
    () => readVersion(sql),
    async () => {
      const { rows } = await sql.query<SourceType>({
        name: 'read_source_types',
        text: SOURCE_TYPES,
      })
      const schema = await createEventSchema(rows, streamRoots, { isStream: true })
      let printed: Promise<Uint8Array<ArrayBuffer>> | undefined
      return {
        schema,
        text() {
          // Bytes are outside of the heap.
          printed ??= printEventGraph(schema).then(Buffer.from)
          return printed
        },
      }
    },
  )
}
