import type { FieldIssue } from '../lib/errors.ts'

/** One entry of a problem's `errors`: which part of the request breaks a rule, a stable code, and what to do. */
export type FieldError = { readonly code: string; readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
)

/** A small body can hold thousands of mistakes. Nobody reads more than these. */
const MAX_LISTED = 100
const MAX_SUMMED_UP = 5

/** The entries for what is wrong with the fields of a body. */
export function listedIssues(issues: readonly FieldIssue[]): FieldError[] {
  return issues
    .slice(0, MAX_LISTED)
    .map(({ path, code, detail }) => ({ pointer: jsonPointer(path), code, detail }))
}

/** What is wrong in a few sentences. */
export function summary(issues: readonly FieldIssue[]): string {
  const told = issues.slice(0, MAX_SUMMED_UP).map((issue) => issue.detail)
  const more = issues.length - told.length
  return [...told, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
}

/** RFC 6901, section 6: a JSON Pointer as a URI fragment. `['headers', 'a/b']` -> `#/headers/a~1b` */
function jsonPointer(path: readonly (string | number)[]): string {
  const tokens = path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))
  // A lone surrogate, which JSON can carry, has no place in a URI.
  return ['#', ...tokens.map((token) => encodeURIComponent(token.toWellFormed()))].join('/')
}
