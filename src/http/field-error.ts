import type { FieldIssue } from '../lib/errors.ts'

/** An entry of a problem's `errors`: the part of the request that breaks a rule, a stable code, and the remedy. */
export type FieldError = { readonly code: string; readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
)

// A small body can have thousands of errors.
const MAX_LISTED = 100
const MAX_SUMMARIZED = 5

/** The first 100 issues as entries of `errors`. */
export function listedIssues(issues: readonly FieldIssue[]): FieldError[] {
  return issues
    .slice(0, MAX_LISTED)
    .map(({ path, code, detail }) => ({ pointer: jsonPointer(path), code, detail }))
}

/** The first 5 issues in sentences, and how many more there are. */
export function summary(issues: readonly FieldIssue[]): string {
  const details = issues.slice(0, MAX_SUMMARIZED).map((issue) => issue.detail)
  const more = issues.length - details.length
  return [...details, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
}

/** A JSON Pointer as a URI fragment (RFC 6901, section 6): `['headers', 'a/b']` -> `#/headers/a~1b` */
function jsonPointer(path: readonly (string | number)[]): string {
  const tokens = path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))
  // JSON allows a lone surrogate, which encodeURIComponent rejects.
  return ['#', ...tokens.map((token) => encodeURIComponent(token.toWellFormed()))].join('/')
}
