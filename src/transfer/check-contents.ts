import { z } from 'zod'
import { payloadIssues } from '../event-types/edit-event-type.ts'
import { type FieldIssue, fieldName } from '../lib/errors.ts'
import { checkInput } from '../lib/validation.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { checkWebhook } from '../webhooks/check-webhook.ts'
import { type Contents, idOf, KINDS, RECORDS } from './contents.ts'

export interface Rules {
  readonly guard: AddressGuard
  /** The prefix of the names of Posthorn's delivery headers. Default: `wh-`. */
  readonly headerPrefix?: string
}

/** Parses the contents of an export by the rules of the API. Throws one error that lists every broken rule. */
export async function checkContents(input: unknown, rules: Rules): Promise<Contents> {
  const { data, issues } = checkInput(LISTS, input)
  if (data === null) throw new Error(explain(issues.map((issue) => describe(issue))))
  const catalogue = data.eventTypes.map(nameOf)
  const check = {
    organizations: (record: unknown) => checkInput(RECORDS.organizations, record),
    eventTypes: checkEventType,
    webhooks: (record: unknown) => checkImportedWebhook(record, catalogue, rules),
    apiKeys: (record: unknown) => checkInput(RECORDS.apiKeys, record),
  }
  const problems: string[] = []
  const records: Record<string, unknown[]> = {}
  for (const kind of KINDS) {
    const parsed: unknown[] = []
    for (const [index, record] of data[kind].entries()) {
      const { data: one, issues } = await check[kind](record)
      problems.push(...issues.map((issue) => describe(issue, [kind, index], nameOf(record))))
      parsed.push(one)
    }
    records[kind] = parsed
  }
  if (problems.length === 0) problems.push(...relationProblems(records as unknown as Contents))
  if (problems.length > 0) throw new Error(explain(problems))
  return records as unknown as Contents
}

const list = z.array(z.unknown(), 'must be a list')
const LISTS = z.strictObject({
  organizations: list,
  eventTypes: list,
  webhooks: list,
  apiKeys: list,
})

async function checkEventType(record: unknown) {
  const { data, issues } = checkInput(RECORDS.eventTypes, record)
  const payloads = data ? await payloadIssues(data.schema, data.example ?? null) : []
  return { data, issues: [...issues, ...payloads] }
}

/** An existing webhook keeps subscriptions of archived event types, and names of headers that were reserved later. */
function checkImportedWebhook(record: unknown, catalogue: readonly string[], rules: Rules) {
  const input = Object(record) as { url?: unknown; headers?: unknown }
  const existingHeaderNames = Object.keys(Object(input.headers))
  const { data, issues } = checkWebhook(RECORDS.webhooks, input, {
    ...rules,
    catalogue,
    existingHeaderNames,
  })
  return { data, issues: issues.map(withRemedy) }
}

function withRemedy(issue: FieldIssue): FieldIssue {
  if (issue.code !== 'address_not_public') return issue
  const remedy =
    'Or delete the webhook and export again, or allow the address here with POSTHORN_EGRESS_ALLOW.'
  return { ...issue, detail: `${issue.detail} ${remedy}` }
}

/** The records refer to each other, and each exists once. */
function relationProblems(contents: Contents): string[] {
  const organizations = new Set(contents.organizations.map(({ id }) => id))
  const uids = new Map<string, string>()
  return KINDS.flatMap((kind) => {
    const seen = new Set<string>()
    return contents[kind].flatMap((record, index) => {
      const id = idOf(record)
      const place = fieldName([kind, index])
      const twice = seen.has(id) ? [`${place} (${id}): is in the file twice.`] : []
      seen.add(id)
      twice.push(...uidProblems(record, kind, place, uids))
      if (!('organizationId' in record) || organizations.has(record.organizationId)) return twice
      return [
        ...twice,
        `${place}.organizationId (${id}): ${record.organizationId} is not in the file.`,
      ]
    })
  })
}

/** A uid is unique in its organization, or in the installation. `uids` has those before, with the ids that have them. */
function uidProblems(
  record: object,
  kind: string,
  place: string,
  uids: Map<string, string>,
): string[] {
  const { id, uid, organizationId } = record as Record<string, string | null>
  if (typeof uid !== 'string' || typeof id !== 'string') return []
  const key = JSON.stringify([kind, organizationId ?? null, uid])
  const holder = uids.get(key)
  uids.set(key, id)
  if (holder === undefined || holder === id) return []
  return [`${place}.uid (${id}): ${JSON.stringify(uid)} is the uid of ${holder}, too.`]
}

function describe(
  { path, detail }: FieldIssue,
  place: readonly (string | number)[] = [],
  name = '',
): string {
  return `${fieldName([...place, ...path])}${name && ` (${name})`}: ${detail}`
}

/** Of a record that is not parsed. */
function nameOf(record: unknown): string {
  const { id, name } = Object(record) as { id?: unknown; name?: unknown }
  const found = typeof id === 'string' ? id : name
  return typeof found === 'string' ? found.slice(0, 128) : ''
}

const MAX_LISTED = 20

function explain(problems: readonly string[]): string {
  const listed = problems.slice(0, MAX_LISTED).map((problem) => `  ${problem}`)
  const more = problems.length - listed.length
  return [
    'The file breaks rules of this version of Posthorn. Nothing was imported.',
    ...listed,
    ...(more > 0 ? [`  And ${more} more.`] : []),
  ].join('\n')
}
