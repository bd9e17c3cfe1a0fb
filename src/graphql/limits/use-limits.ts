import type { GraphQLError, validate } from 'graphql'
import { createGraphQLError, type Plugin, type YogaInitialContext } from 'graphql-yoga'
import { DomainError } from '../../lib/errors.ts'
import type { Identify } from '../context.ts'
import type { Connection } from '../cors.ts'
import { redactValue } from '../redact-values.ts'
import type { CheckComplexity } from './check-complexity.ts'
import { MAX_COMPLEXITY } from './field-complexity.ts'
import { limitExceeded } from './limit-exceeded.ts'
import { parseWithinLimits } from './parse-within-limits.ts'
import { MAX_RESPONSE_BYTES } from './response-size.ts'

/** An estimate: a response of the largest complexity is at most as large as responses may be. */
const BYTES_PER_FIELD = MAX_RESPONSE_BYTES / MAX_COMPLEXITY

/** Limits documents before they are parsed and validated, and the complexity of operations before they execute. */
export function useLimits(
  identify: Identify,
  checkComplexity: CheckComplexity,
): Plugin<YogaInitialContext, Connection> {
  const withKey = new WeakSet<Request>()
  return {
    async onParams({ request, context: { address } }) {
      if (!((await identify(request, address)) instanceof DomainError)) withKey.add(request)
    },
    onParse({ context, setParseFn }) {
      const authenticated = withKey.has(context.request)
      setParseFn((source, options) => parseWithinLimits(source, { ...options, authenticated }))
    },
    onValidate({ validateFn, setValidationFn }) {
      setValidationFn((...input: Parameters<typeof validate>) => {
        const errors: readonly GraphQLError[] = validateFn(...input)
        return errors.some(isAbortion) ? [tooManyComparisons()] : errors.map(redact)
      })
    },
    async onExecute({ args }) {
      const fields = checkComplexity(args)
      const { memory } = args.contextValue as Connection
      memory?.resize('response', fields * BYTES_PER_FIELD)
      await memory?.waitForTurn()
    },
    onSubscribe: ({ args }) => void checkComplexity(args),
  }
}

/** The limit in the rule `OverlappingFieldsCanBeMerged` of `graphql`, which aborts validation without a reason. */
const MAX_COMPARISONS = 500_000
const isAbortion = ({ message }: GraphQLError) => message === 'Validation aborted.'

function tooManyComparisons(): GraphQLError {
  return limitExceeded({
    limit: 'comparisons of equal fields',
    max: MAX_COMPARISONS,
    remedy: 'Select each field once, and use fewer fragments.',
  })
}

/** Redacts values of the document: they may be credentials, and clients log errors. */
function redact(error: GraphQLError): GraphQLError {
  const message = redactValue(error.message)
  if (message === error.message) return error
  const { nodes, extensions } = error
  return createGraphQLError(message, { ...(nodes && { nodes }), extensions })
}
