import type pg from 'pg'

/** How the columns of a result are read, in the fields that `pg` keeps of it. */
interface Layout {
  readonly fields: unknown
  readonly _parsers: unknown
  readonly _prebuiltEmptyResultObject: unknown
}

/** What `pg` keeps of the statement that runs. */
interface Running {
  readonly name?: string
  /** Parsers of its own. */
  readonly types?: unknown
  readonly _result: Layout
  _accumulateRows?: boolean
}

/** What `pg` keeps of a connection. */
interface Internals {
  readonly connection: {
    describe(portal: { type: 'S' | 'P'; name: string }): void
    on(event: 'rowDescription', listener: () => void): void
  }
  readonly _activeQuery: Running | null
}

/**
 * `pg` has the columns of a result described each time that a statement runs, and prepares anew how to read them: 14 for
 * a delivery that is loaded. A statement with a name always has the same, or Postgres refuses it, so they are described
 * once for each connection. Of the processor time of one event by itself that is a twentieth.
 */
export function describeOnce(client: pg.PoolClient): void {
  const { connection } = client as unknown as Internals
  const layouts = new Map<string, Layout>()

  /** The statement that runs, where its columns can be remembered. */
  function named(): (Running & { readonly name: string }) | null {
    const running = (client as unknown as Internals)._activeQuery
    // An empty name is none.
    const remembered = running?.name && !running.types
    return remembered ? (running as Running & { readonly name: string }) : null
  }

  // After `pg` itself, which listens from the beginning.
  connection.on('rowDescription', () => {
    const running = named()
    if (!running) return
    const { fields, _parsers, _prebuiltEmptyResultObject } = running._result
    layouts.set(running.name, { fields, _parsers, _prebuiltEmptyResultObject })
  })

  const describe = connection.describe.bind(connection)
  connection.describe = (portal) => {
    const running = named()
    const layout = running && layouts.get(running.name)
    if (!layout) return describe(portal)
    Object.assign(running._result, layout)
    running._accumulateRows = true
  }
}
