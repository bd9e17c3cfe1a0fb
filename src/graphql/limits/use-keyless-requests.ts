import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { DomainError, rateLimited } from '../../lib/errors.ts'
import { createAddressLimiter } from '../../rate-limit/address-limiter.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import type { Identify } from '../context.ts'
import type { Connection } from '../cors.ts'
import { createOnePerTick } from '../one-per-tick.ts'
import { readsSchema, readsSchemaOnly } from './check-introspection.ts'
import { isDocument } from './publishes-only.ts'

/** Requests without a valid API key from one address: the burst, and the rate per minute. */
export const MAX_KEYLESS_REQUESTS = 60

/**
 * Without a valid API key, clients can only read the schema, at a limited rate per address. Introspection blocks the event
 * loop, so at most one such request executes per tick, and other requests are served in between.
 */
export function useKeylessRequests(identify: Identify): Plugin<YogaInitialContext, Connection> {
  const limiter = createAddressLimiter(MAX_KEYLESS_REQUESTS)
  const waitForTick = createOnePerTick()
  const rejections = new WeakMap<Request, DomainError>()
  return {
    async onParams({ request, context: { address } }) {
      const identity = await identify(request, address)
      if (!(identity instanceof DomainError)) return
      // The key is valid, but may not act as the request asks.
      if (identity.code === 'forbidden' || identity.code === 'malformed') throw identity
      const waitSeconds = address === undefined ? 0 : limiter.count(address)
      if (waitSeconds > 0) throw tooManyRequests(waitSeconds)
      rejections.set(request, identity)
      await waitForTick()
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
        await waitForTick()
    },
  }
}

function tooManyRequests(waitSeconds: number): DomainError {
  describeRequest({ limit: 'keyless_requests' })
  return rateLimited(
    `This address sent more than ${MAX_KEYLESS_REQUESTS} requests per minute without a valid API key. Try again in ${waitSeconds} seconds, or send a key: \`Authorization: Bearer <API key>\`.`,
    waitSeconds,
  )
}
