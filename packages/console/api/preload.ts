import {
  type Client,
  createRequest,
  type DocumentInput,
  type Exchange,
  makeOperation,
  mapExchange,
  type OperationContext,
} from 'urql'

/** How long the script of a page may take after the data of the page. Later, the page asks again. */
const FRESH_MS = 10_000

/**
 * How long an answer counts as the present one. While React renders a page beside the one before, which shows the same
 * query, the answer may come before the new page has asked.
 */
const PRESENT_MS = 500

/** Until when the data of a query are fresh, by its key. Infinity while they are on their way. */
const freshUntil = new Map<number, number>()

/** A query, as a component will ask it. */
export interface PreloadRequest {
  readonly query: DocumentInput
  readonly variables: object
  readonly context: Partial<OperationContext>
}

/** Asks before the component that will show the answer is there. Cached data are left to the component to update. */
export async function preload(
  client: Client,
  { query, variables, context }: PreloadRequest,
): Promise<void> {
  const { key } = createRequest(query, variables)
  if (client.readQuery(query, variables, { requestPolicy: 'cache-only' })?.data) return
  freshUntil.set(key, Number.POSITIVE_INFINITY)
  const { error } = await client
    .query(query, variables, { ...context, requestPolicy: 'cache-first' })
    .toPromise()
  if (error) freshUntil.delete(key)
  else if (freshUntil.has(key)) freshUntil.set(key, Date.now() + FRESH_MS)
}

/** Ends the preload of a query: the next time, it is asked again. */
export function endPreload(query: DocumentInput, variables: object): void {
  freshUntil.delete(createRequest(query, variables).key)
}

/** The keys of the queries with a present answer. */
const present = new Set<number>()

/** Notes the answers of the server. Belongs behind the cache. */
export const answerExchange: Exchange = mapExchange({
  onResult({ operation: { kind, key }, error }) {
    if (kind !== 'query' || error) return
    present.add(key)
    setTimeout(() => present.delete(key), PRESENT_MS)
  },
})

/** Does not ask again for data that have just been preloaded or answered. Belongs before the cache. */
export const preloadExchange: Exchange = mapExchange({
  onOperation(operation) {
    const { requestPolicy } = operation.context
    if (requestPolicy !== 'cache-and-network' && requestPolicy !== 'network-only') return
    const isPresent = requestPolicy === 'cache-and-network' && present.has(operation.key)
    if (!isPresent && (freshUntil.get(operation.key) ?? 0) < Date.now()) return
    return makeOperation(operation.kind, operation, {
      ...operation.context,
      requestPolicy: 'cache-first',
    })
  },
})
