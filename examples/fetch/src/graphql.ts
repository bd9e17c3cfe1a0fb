import type { Sink } from '../../shared/follow.ts'
import type { Session } from '../../shared/session.ts'
import { limitSilence } from '../../shared/silence-limit.ts'
import type { TypedDocumentString } from './generated/graphql.ts'
import { readEvents } from './read-events.ts'

interface Result<Data> {
  readonly data: Data
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string }
  }[]
}

/** Sends a query or mutation. Throws if the response has errors. Renews an expired session, once. */
export async function request<Data, Variables>(
  session: Session,
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const run = async (): Promise<Result<Data>> =>
    (await post(session, { query: document.toString(), variables })).json()
  let { data, errors } = await run()
  if (codeOf(errors) === 'UNAUTHENTICATED') {
    await session.renew()
    ;({ data, errors } = await run())
  }
  if (errors) throw new Error(errors[0]?.message)
  return data
}

/** Subscribes once. Reports each way in which the stream ends as `lost`. Returns how to unsubscribe. */
export function subscribe<Data, Variables>(
  session: Session,
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  { connected, lost }: Pick<Sink, 'connected' | 'lost'>,
  next: (data: Data) => void,
): () => void {
  const controller = new AbortController()
  async function read() {
    const body = { query: document.toString(), variables }
    const response = await post(session, body, 'text/event-stream', controller.signal)
    if (response.status === 401) return lost('UNAUTHENTICATED')
    if (!response.ok || !response.body) return lost()
    connected()
    for await (const { event, data } of readEvents(response.body)) {
      if (event !== 'next') continue
      const result: Result<Data> = JSON.parse(data)
      if (result.errors) return lost(codeOf(result.errors))
      next(result.data)
    }
    lost()
  }
  read().catch(() => lost())
  return () => controller.abort()
}

const codeOf = (errors: Result<unknown>['errors']) => errors?.[0]?.extensions?.code

const send = limitSilence((input, init) => fetch(input, init))

function post(
  session: Session,
  body: object,
  accept = 'application/json',
  signal: AbortSignal | null = null,
): Promise<Response> {
  return send(session.url, {
    method: 'POST',
    headers: {
      accept,
      authorization: `Bearer ${session.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
    signal,
  })
}
