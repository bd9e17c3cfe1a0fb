import { createGraphQLError, type Plugin, type YogaInitialContext } from 'graphql-yoga'

/** Rejects a subscription of a client that does not accept event streams. Its stream would never be closed. */
export function useStreams(): Plugin<YogaInitialContext> {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const { request } = args.contextValue as YogaInitialContext
      if (readsStreams(request.headers.get('accept'))) return
      const error = createGraphQLError(
        'A subscription returns an event stream: send `Accept: text/event-stream`, for example with graphql-sse. It has no multipart form and no WebSockets; docs/guides/frontends.md has links for Apollo Client, urql and Relay.',
        { extensions: { code: 'NOT_ACCEPTABLE', http: { status: 406 } } },
      )
      setResultAndStopExecution({ errors: [error] })
    },
  }
}

function readsStreams(accept: string | null): boolean {
  const types = (accept ?? '*/*').toLowerCase().split(',')
  return types.some((type) => {
    const [name, ...params] = type.replaceAll(/\s/g, '').split(';')
    const charset = params.find((param) => param.startsWith('charset='))
    return /^(text|\*)\/(event-stream|\*)$/.test(name ?? '') && (charset ?? UTF_8) === UTF_8
  })
}

const UTF_8 = 'charset=utf-8'
