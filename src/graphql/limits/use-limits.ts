import type { GraphQLError, validate } from 'graphql'
import { createGraphQLError, type Plugin, type YogaInitialContext } from 'graphql-yoga'
import { DomainError } from '../../lib/errors.ts'
import type { Identify } from '../context.ts'
import type { Connection } from '../cors.ts'
import { withoutValue } from '../without-values.ts'
import type { CheckComplexity } from './check-complexity.ts'
import { limitExceeded } from './limit-exceeded.ts'
import { parseWithinLimits } from './parse-within-limits.ts'

/** What is asked for is bounded: the document before it is parsed and validated, the answer before it is made. */
export function useLimits(
  identify: Identify,
  checkComplexity: CheckComplexity,
): Plugin<YogaInitialContext, Connection> {
  const known = new WeakSet<Request>()
  return {
    async onParams({ request, context: { address } }) {
      if (!((await identify(request, address)) instanceof DomainError)) known.add(request)
    },
    onParse({ context, setParseFn }) {
      const authenticated = known.has(context.request)
      setParseFn((source, options) => parseWithinLimits(source, { ...options, authenticated }))
    },
    onValidate({ validateFn, setValidationFn }) {
      setValidationFn((...input: Parameters<typeof validate>) => {
        const errors: readonly GraphQLError[] = validateFn(...input)
        return errors.some(isAbortion) ? [tooManyComparisons()] : errors.map(discreet)
      })
    },
    onExecute: ({ args }) => checkComplexity(args),
    onSubscribe: ({ args }) => checkComplexity(args),
  }
}

/** The rule that equal fields must mean the same gives up at this, in `graphql` itself, and does not say why. */
const MAX_COMPARISONS = 500_000
const isAbortion = ({ message }: GraphQLError) => message === 'Validation aborted.'

function tooManyComparisons(): GraphQLError {
  return limitExceeded({
    limit: 'comparisons of equal fields',
    most: MAX_COMPARISONS,
    remedy: 'Ask for each field once, and in fewer fragments.',
  })
}

/** A value in a document may be a credential, as in variables, and errors end up in the logs of clients. */
function discreet(error: GraphQLError): GraphQLError {
  const message = withoutValue(error.message)
  if (message === error.message) return error
  const { nodes, extensions } = error
  return createGraphQLError(message, { ...(nodes && { nodes }), extensions })
}
