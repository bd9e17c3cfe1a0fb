import { ERROR_CODES } from '../../../src/graphql/error-codes.ts'
import { headOfProblem, PROBLEMS, type ProblemKind } from '../../../src/http/problem.ts'
import { ISSUE_CODES } from '../../../src/lib/issue-codes.ts'
import { ERROR_CODES as FAILURE_CODES, wordsOf } from '../../../src/outbound/failure-reasons.ts'
import { code, fenced, page, prose, table } from './markdown.ts'
import { SQLSTATES } from './sqlstates.ts'

export function errorsPage(): string {
  return page(
    '# Errors',
    'What each code means. The text of an error names the field and the remedy, and can change; codes stay. New codes can be added.',
    '## REST',
    'An error is `application/problem+json` (RFC 9457). `type` names the kind, `detail` says what is wrong, and `errors` has each field or header that breaks a rule, with a [code](#fields).',
    fenced(JSON.stringify(EXAMPLE, null, 2), 'json'),
    table(
      ['status', '`type`', 'cause'],
      Object.entries(PROBLEMS).map(([kind, [, cause]]) => {
        const { type, status } = headOfProblem(kind as ProblemKind)
        return [String(status), code(type), cause]
      }),
    ),
    '## GraphQL',
    'What a caller can correct is data: each mutation has a union of its success and its errors, which are of the interface [`UserError`](graphql-types.md#usererror) with a `code` of [fields](#fields) or of the error. All else is in `errors` of the response, with one of these codes in `extensions.code`.',
    table(
      ['`extensions.code`', 'cause'],
      Object.entries(ERROR_CODES).map(([name, description]) => [code(name), prose(description)]),
    ),
    '## Fields',
    'The codes of invalid input, in REST (`errors[].code`) and in GraphQL (`issues[].code`). `detail` and `message` say what to give instead.',
    table(
      ['code', 'meaning'],
      Object.entries(ISSUE_CODES).map(([name, text]) => [code(name), prose(text)]),
    ),
    '## SQL',
    'The SQLSTATEs of [the SQL functions](../guides/publish.md). Those that begin with `PH` are of Posthorn, all others of Postgres.',
    table(
      ['SQLSTATE', 'meaning', 'remedy'],
      Object.entries(SQLSTATES).map(([name, { meaning, remedy }]) => [code(name), meaning, remedy]),
    ),
    '## Attempts',
    'An attempt without a response has an `errorCode`, and details in `error`.',
    table(
      ['`errorCode`', 'meaning', 'advice'],
      FAILURE_CODES.map((name) => [code(name), ...wordsOf({ status: null, errorCode: name })]),
    ),
  )
}

const DETAIL = 'The URL is not HTTPS. Give one that begins with https://.'

const EXAMPLE = {
  ...headOfProblem('invalid'),
  detail: DETAIL,
  errors: [{ pointer: '#/url', code: 'not_https', detail: DETAIL }],
}
