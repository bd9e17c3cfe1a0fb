import type { PullRequest } from '../../event-stream/consumers/pull-events.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { fieldIssue, invalid } from '../../lib/errors.ts'

const PULL_PARAMETERS = ['consumer', 'types', 'filter', 'max', 'wait', 'lease', 'from']

/** Reads the parameters of a pull. The domain checks the values. */
export function readPull(params: URLSearchParams): PullRequest {
  const issues = [...new Set(params.keys())]
    .filter((name) => !PULL_PARAMETERS.includes(name))
    .map((name) => {
      const detail = `is no parameter.${didYouMean(name, PULL_PARAMETERS)} The parameters are ${PULL_PARAMETERS.join(', ')}.`
      return fieldIssue([name], 'unknown_field', detail)
    })
  const number = (name: string): number | undefined => {
    const text = params.get(name)
    if (text === null) return undefined
    if (!/^\d{1,9}$/.test(text)) {
      issues.push(fieldIssue([name], 'invalid_type', 'must be a whole number.'))
    }
    return Number(text)
  }
  const from = params.get('from')
  if (from !== null && from !== 'now' && from !== 'oldest') {
    issues.push(fieldIssue(['from'], 'invalid_value', 'must be now or oldest.'))
  }
  const consumer = params.get('consumer')
  if (consumer === null) {
    issues.push(fieldIssue(['consumer'], 'required', 'is required: the name of the consumer.'))
  }
  const request = {
    consumer: consumer ?? '',
    types: params.getAll('types').flatMap((text) => text.split(',').filter(Boolean)),
    filterText: params.get('filter'),
    max: number('max'),
    wait: number('wait'),
    lease: number('lease'),
    from: from === 'oldest' ? ('oldest' as const) : ('now' as const),
  }
  if (issues.length > 0) throw invalid(issues)
  return request
}

/** Reads the body of an acknowledgement. */
export function readAcknowledgement(body: Readonly<Record<string, unknown>>): {
  readonly consumer: string
  readonly lease: string
} {
  const { consumer, lease, ...others } = body
  const issues = [
    ...Object.keys(others).map((name) =>
      fieldIssue([name], 'unknown_field', 'is unknown. Send consumer and lease.'),
    ),
    ...Object.entries({ consumer, lease }).flatMap(([name, value]) =>
      typeof value === 'string' ? [] : [fieldIssue([name], 'required', 'is required: a string.')],
    ),
  ]
  if (issues.length > 0) throw invalid(issues)
  return { consumer: String(consumer), lease: String(lease) }
}
