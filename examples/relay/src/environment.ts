import {
  Environment,
  type FetchFunction,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  Store,
  type SubscribeFunction,
} from 'relay-runtime'
import type { Session } from '../../shared/session.ts'
import { subscribeWithSse } from '../../shared/sse.ts'

export function createEnvironment(session: Session): Environment {
  const network = Network.create(requests(session), streams(session))
  return new Environment({ network, store: new Store(new RecordSource()) })
}

interface Response {
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

/** Renews an expired session, and sends the request again, once. */
function requests(session: Session): FetchFunction {
  return async ({ text }, variables) => {
    const send = async (): Promise<Response> => {
      const response = await fetch(session.url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${session.token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ query: text, variables }),
      })
      return await response.json()
    }
    let result = await send()
    if (result.errors?.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')) {
      await session.renew()
      result = await send()
    }
    return result as GraphQLResponse
  }
}

function streams(session: Session): SubscribeFunction {
  return ({ text }, variables, { metadata }) =>
    Observable.create((sink) =>
      subscribeWithSse<GraphQLResponse>(
        session,
        { query: text ?? '', variables },
        sink as never,
        metadata?.['connected'] as () => void,
      ),
    )
}
