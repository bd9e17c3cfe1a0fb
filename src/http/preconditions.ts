import { createHash } from 'node:crypto'
import { HttpRejection, type ProblemKind } from './problem.ts'

/** The conditional headers of a request (RFC 9110, section 13.1). Null: the request does not have the header. */
interface Preconditions {
  readonly ifMatch: EntityTags | null
  readonly ifNoneMatch: EntityTags | null
}

/** `*` matches every version. */
type EntityTags = '*' | readonly string[]

/** The strong entity tag of a representation: the same for the same JSON only. */
export function entityTagOf(representation: object): string {
  const hash = createHash('sha256').update(JSON.stringify(representation))
  return `"${hash.digest('base64url')}"`
}

/** Throws `malformed` (400) for a header that is not a list of entity tags. */
export function readPreconditions(headers: Headers): Preconditions {
  return {
    ifMatch: readEntityTags(headers, 'If-Match'),
    ifNoneMatch: readEntityTags(headers, 'If-None-Match'),
  }
}

/** For a GET: whether the caller has this version, so that the response is 304. Throws `precondition_failed` (412). */
export function isNotModified(preconditions: Preconditions, entityTag: string): boolean {
  checkIfMatch(preconditions, entityTag)
  return isExcluded(preconditions, entityTag)
}

/** For a change. Throws `precondition_failed` (412). */
export function checkPreconditions(preconditions: Preconditions, entityTag: string): void {
  checkIfMatch(preconditions, entityTag)
  if (isExcluded(preconditions, entityTag)) {
    throw rejection(
      'precondition_failed',
      'If-None-Match',
      'excluded_version',
      'If-None-Match excludes the current version. Nothing was changed. Send If-Match to require a version.',
    )
  }
}

/** Strong comparison: a weak tag never matches. */
function checkIfMatch({ ifMatch }: Preconditions, entityTag: string): void {
  if (ifMatch === null || ifMatch === '*' || ifMatch.includes(entityTag)) return
  throw rejection(
    'precondition_failed',
    'If-Match',
    'other_version',
    ifMatch.every(isWeak)
      ? 'If-Match has only weak entity tags (W/"…"), which never match. Nothing was changed. Send a strong one.'
      : 'If-Match does not have the current version. Nothing was changed. Read the resource again, and send its ETag.',
  )
}

/** Weak comparison, as RFC 9110, section 13.1.2 requires: proxies weaken the tag of a response that they compress. */
function isExcluded({ ifNoneMatch }: Preconditions, entityTag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch === '*' || ifNoneMatch.some((tag) => tag.replace(WEAK, '') === entityTag)
}

const WEAK = /^W\//
const isWeak = (tag: string) => WEAK.test(tag)

/** RFC 9110, section 8.8.3. */
const ENTITY_TAG = String.raw`(?:W\/)?"[!#-~\x80-\xff]*"`
const ENTITY_TAGS = new RegExp(
  String.raw`^[ \t,]*${ENTITY_TAG}(?:[ \t]*,[ \t,]*${ENTITY_TAG})*[ \t,]*$`,
)

function readEntityTags(headers: Headers, name: string): EntityTags | null {
  const value = headers.get(name)
  if (value === null || value === '*') return value
  if (ENTITY_TAGS.test(value)) return value.match(new RegExp(ENTITY_TAG, 'g'))
  throw rejection(
    'malformed',
    name,
    'invalid_entity_tag',
    `The header ${name} must be * or a list of entity tags in double quotes, such as "abc".`,
  )
}

function rejection(kind: ProblemKind, header: string, code: string, detail: string): HttpRejection {
  return new HttpRejection(kind, detail, { errors: [{ header, code, detail }] })
}
