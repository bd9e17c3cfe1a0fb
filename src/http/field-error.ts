import type { FieldIssue } from '../lib/errors.ts'

/** An entry of a problem's `errors`: the part of the request that breaks a rule, a stable code, and the remedy. */
export type FieldError = { readonly code: string; readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
)

/** An issue as an entry of `errors`. */
export function toFieldError({ path, code, detail }: FieldIssue): FieldError {
  return { pointer: jsonPointer(path), code, detail }
}

/** A JSON Pointer as a URI fragment (RFC 6901, section 6): `['headers', 'a/b']` -> `#/headers/a~1b` */
function jsonPointer(path: readonly (string | number)[]): string {
  const tokens = path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))
  // JSON allows a lone surrogate, which encodeURIComponent rejects.
  return ['#', ...tokens.map((token) => encodeURIComponent(token.toWellFormed()))].join('/')
}
