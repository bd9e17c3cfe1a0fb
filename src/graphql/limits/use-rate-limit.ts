import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import type { Quota } from '../../access/quota.ts'
import type { Caller } from '../../access/scope.ts'
import { DomainError } from '../../lib/errors.ts'
import type { Identify } from '../context.ts'
import type { Connection } from '../cors.ts'
import { isDocument, publishesOnly } from './publishes-only.ts'

/** The server context of a request. */
export interface RequestContext extends Connection {
  readonly quota: Quota
}

/**
 * Counts each operation with an API key as a request, before it is validated. A mutation that only publishes counts its
 * events instead. It counts as a request only if it published nothing, for example because it was invalid.
 */
export function useRateLimit(identify: Identify): Plugin<YogaInitialContext, RequestContext> {
  const spenders = new WeakMap<Request, { caller: Caller; quota: Quota }>()
  return {
    async onParams({ request, context: { address, quota } }) {
      const caller = await identify(request, address)
      if (!(caller instanceof DomainError)) spenders.set(request, { caller, quota })
    },
    onParse:
      () =>
      ({ context: { request, params }, result, replaceParseResult }) => {
        const spender = spenders.get(request)
        if (!spender || (isDocument(result) && publishesOnly(result, params.operationName))) return
        try {
          spender.quota.spend(spender.caller, 'requests', 1)
        } catch (error) {
          replaceParseResult(error as Error)
        }
      },
    onExecutionResult({ request }) {
      const spender = spenders.get(request)
      if (spender && !spender.quota.isUsed) spender.quota.spend(spender.caller, 'requests', 1)
    },
  }
}
