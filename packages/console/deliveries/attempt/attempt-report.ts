import { formatDuration, formatUtc } from '../../lib/format.ts'
import { maskUrl } from '../../lib/mask-url.ts'
import { asCurl } from './as-curl.ts'

interface Header {
  readonly name: string
  readonly value: string
}

interface ReportedAttempt {
  readonly id: string
  readonly number: number
  readonly startedAt: string
  readonly durationMs: number
  readonly error?: string | null
  readonly delivery?: { readonly id: string; readonly eventType: { readonly name: string } } | null
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly Header[]
    readonly body?: string | null
  }
  readonly response?: {
    readonly status: number
    readonly headers: readonly Header[]
    readonly body: string
    readonly bodyEncoding: string
  } | null
}

/** The headers in which a receiver, or what stands before it, names its own record of a request. */
const REQUEST_ID =
  /^(x-)?(request|correlation|trace|transaction)-?id$|^x-amzn?-(requestid|request-id|trace-id|cf-id)$|^cf-ray$|^x-cloud-trace-context$|^x-ms-request-id$|^x-vercel-id$|^fly-request-id$|^x-github-request-id$/i

/** Characters of the response's body in a report. */
const EXCERPT_LENGTH = 2_000

/** An attempt in Markdown, for the people of the receiver: what was sent and answered, and the ids to search logs for. No secrets. */
export function attemptReport(attempt: ReportedAttempt): string {
  const { delivery, request, response, error } = attempt
  const idHeader = request.headers.find(({ value }) => value === delivery?.id)?.name
  const requestIds = response?.headers.filter(({ name }) => REQUEST_ID.test(name)) ?? []
  const result = response ? `HTTP ${response.status}` : (error ?? 'No response')
  const url = maskUrl(request.url)
  const facts: [name: string, value: string][] = [
    ['Time', formatUtc(attempt.startedAt)],
    ['Request', `${request.method} ${url}`],
    ['Result', response && error ? `${result} (${error})` : result],
    ['Duration', formatDuration(attempt.durationMs)],
    ...(delivery
      ? ([
          [idHeader ? `Delivery (header \`${idHeader}\`)` : 'Delivery', delivery.id],
          ['Event type', delivery.eventType.name],
        ] as [string, string][])
      : []),
    ['Attempt', `${attempt.number}, ${attempt.id}`],
    ...requestIds.map(({ name, value }): [string, string] => [
      `Response header \`${name}\``,
      value,
    ]),
  ]
  const body = response?.bodyEncoding === 'UTF8' ? response.body : ''
  return [
    `## Webhook request: ${result}`,
    `| | |\n| --- | --- |\n${facts.map(([name, value]) => `| ${name} | ${cell(value)} |`).join('\n')}`,
    ...(body === '' ? [] : [`Response body${cut(body)}:`, fenced(body.slice(0, EXCERPT_LENGTH))]),
    'To send the request again (values of custom headers and credentials in the URL are left out):',
    fenced(asCurl({ ...request, url }).command, 'sh'),
    '',
  ].join('\n\n')
}

const cut = (body: string) =>
  body.length > EXCERPT_LENGTH ? `, first ${EXCERPT_LENGTH.toLocaleString('en')} characters` : ''

/** A bar ends a cell, unless an odd number of backslashes is before it. */
const cell = (value: string) => value.replaceAll(/\s+/g, ' ').replaceAll(/[\\|]/g, String.raw`\$&`)

/** A block of code, in a fence that is longer than any in the code. */
function fenced(code: string, language = ''): string {
  const runs = code.match(/`{3,}/g)?.map(({ length }) => length) ?? []
  const fence = '`'.repeat(Math.max(2, ...runs) + 1)
  return `${fence}${language}\n${code}\n${fence}`
}
