import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { DomainError, rateLimited } from '../../lib/errors.ts'
import { createAddressLimiter } from '../../rate-limit/address-limiter.ts'
import type { Identify } from '../context.ts'
import type { Connection } from '../cors.ts'
import { createTurns } from '../turns.ts'
import { readsSchema, readsSchemaOnly } from './check-introspection.ts'
import { isDocument } from './publishes-only.ts'

/** Requests without a valid API key from one address: so many at once, and as many a minute. */
export const MAX_KEYLESS_REQUESTS = 60

/**
 * Without a valid key the schema can be read, and nothing else; how often is limited by address. However many read it at
 * once, others are served in between: the executor answers introspection in one go.
 */
export function useKeylessRequests(identify: Identify): Plugin<YogaInitialContext, Connection> {
  const limiter = createAddressLimiter(MAX_KEYLESS_REQUESTS)
  const nextTurn = createTurns()
  const rejections = new WeakMap<Request, DomainError>()
  return {
    async onParams({ request, context: { address } }) {
      const identity = await identify(request, address)
      if (!(identity instanceof DomainError)) return
      const waitSeconds = address === undefined ? 0 : limiter.count(address)
      if (waitSeconds > 0) throw tooManyRequests(waitSeconds)
      rejections.set(request, identity)
      await nextTurn()
    },
    onParse:
      () =>
      ({ context: { request }, result, replaceParseResult }) => {
        const rejection = rejections.get(request)
        if (!rejection || !isDocument(result) || readsSchemaOnly(result)) return
        replaceParseResult(rejection)
      },
    async onExecute({ args }) {
      const { request } = args.contextValue as YogaInitialContext
      if (!rejections.has(request) && readsSchema(args.document, args.operationName))
        await nextTurn()
    },
  }
}

function tooManyRequests(waitSeconds: number): DomainError {
  return rateLimited(
    `More than ${MAX_KEYLESS_REQUESTS} requests a minute without a valid API key came from this address. Try again in ${waitSeconds} seconds, or send a key: \`Authorization: Bearer <API key>\`.`,
    waitSeconds,
  )
}
