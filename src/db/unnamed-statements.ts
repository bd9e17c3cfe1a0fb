import pg from 'pg'

/**
 * A client of a transaction pooler, which may run each transaction in another session of Postgres. A statement that was
 * prepared under a name in one session is missing in the others, so this client sends the text each time.
 * (PgBouncer follows names since 1.21, but only if it is told to; other poolers do not.)
 */
export class UnnamedStatementsClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: it passes all forms of `query` on.
  override query(query: any, ...rest: any[]): any {
    const isNamed = typeof query === 'object' && query?.name !== undefined
    return super.query(isNamed ? { ...query, name: undefined } : query, ...rest)
  }
}
