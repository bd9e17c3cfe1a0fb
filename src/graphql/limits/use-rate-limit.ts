import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import type { Quota } from '../../access/quota.ts'
import type { Caller } from '../../access/scope.ts'
import { DomainError } from '../../lib/errors.ts'
import type { Identify } from '../context.ts'
import type { Connection } from '../cors.ts'
import { isDocument, publishesOnly } from './publishes-only.ts'

/** What comes with a request. */
export interface Asked extends Connection {
  readonly quota: Quota
}

/**
 * Counts each operation with a key as a request, before it is validated. One that only publishes counts its events, and
 * as a request only where it came to none, as it was not valid.
 */
export function useRateLimit(identify: Identify): Plugin<YogaInitialContext, Asked> {
  const asking = new WeakMap<Request, { caller: Caller; quota: Quota }>()
  return {
    async onParams({ request, context: { address, quota } }) {
      const caller = await identify(request, address)
      if (!(caller instanceof DomainError)) asking.set(request, { caller, quota })
    },
    onParse:
      () =>
      ({ context: { request, params }, result, replaceParseResult }) => {
        const asked = asking.get(request)
        if (!asked || (isDocument(result) && publishesOnly(result, params.operationName))) return
        try {
          asked.quota.spend(asked.caller, 'requests', 1)
        } catch (error) {
          replaceParseResult(error as Error)
        }
      },
    onExecutionResult({ request }) {
      const asked = asking.get(request)
      if (asked && !asked.quota.isUsed) asked.quota.spend(asked.caller, 'requests', 1)
    },
  }
}
