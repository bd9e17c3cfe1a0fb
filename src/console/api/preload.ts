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

/** Does not ask again for data that have just been preloaded. Belongs before the cache. */
export const preloadExchange: Exchange = mapExchange({
  onOperation(operation) {
    const { requestPolicy } = operation.context
    if (requestPolicy !== 'cache-and-network' && requestPolicy !== 'network-only') return
    if ((freshUntil.get(operation.key) ?? 0) < Date.now()) return
    return makeOperation(operation.kind, operation, {
      ...operation.context,
      requestPolicy: 'cache-first',
    })
  },
})
