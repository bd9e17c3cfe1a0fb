import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { checkContents } from '../../src/transfer/check-contents.ts'
import type { Contents } from '../../src/transfer/contents.ts'
import { configure, createInstallation, type Installation } from './support/installation.ts'

let installation: Installation
let contents: Contents
const rules = { guard: createAddressGuard([]) }

beforeAll(async () => {
  installation = await createInstallation()
  await configure(installation)
  contents = await installation.contents()
})
afterAll(async () => await installation[Symbol.asyncDispose]())

test('what an installation exports keeps every rule, and is read as it was written', async () => {
  const given = JSON.parse(JSON.stringify(contents))
  expect(await checkContents(given, rules)).toEqual(given)
})

test('a webhook keeps subscriptions of archived event types, and headers that were reserved later', async () => {
  const given = changed('webhooks', 0, {
    eventSubscriptions: ['order.lost'],
    headers: { traceparent: 'x' },
  })
  expect((await checkContents(given, rules)).webhooks[0]).toMatchObject({
    eventSubscriptions: ['order.lost'],
    headers: { traceparent: 'x' },
  })
})

test.each([
  ['organizations', { name: '' }, /organizations\[0\]\.name \(org_\w+\): name must not be empty/],
  ['organizations', { id: 'wh_1' }, /organizations\[0\]\.id \(wh_1\): id must be an id, org_…/],
  ['organizations', { createdAt: '2026' }, /\.createdAt .* must be an RFC 3339 time/],
  ['eventTypes', { name: 'a b' }, /eventTypes\[0\]\.name \(a b\)/],
  [
    'eventTypes',
    { schema: { type: 1 } },
    /eventTypes\[0\]\.schema .* cannot be used as a JSON Schema/,
  ],
  ['eventTypes', { example: 1, schema: { type: 'object' } }, /example does not match the schema/],
  ['eventTypes', { group: '' }, /eventTypes\[0\]\.group .* must not be empty/],
  ['eventTypes', { searchKeys: ['id'] }, /eventTypes\[0\]\.searchKeys\[0\]/],
  [
    'webhooks',
    { url: 'http://example.com' },
    /webhooks\[0\]\.url \(wh_\w+\): The URL is not HTTPS/,
  ],
  ['webhooks', { url: 'https://localhost' }, /POSTHORN_EGRESS_ALLOW/],
  ['webhooks', { eventSubscriptions: ['order.payd'] }, /Did you mean "order.paid"/],
  ['webhooks', { headers: { host: 'x' } }, /webhooks\[0\]\.headers\.host .* is set by Posthorn/],
  ['webhooks', { retryScheduleSeconds: [0] }, /webhooks\[0\]\.retryScheduleSeconds\[0\]/],
  ['webhooks', { timeoutSeconds: 31 }, /timeoutSeconds must be a whole number from 1 to 30/],
  ['webhooks', { signingSecrets: [] }, /must have exactly one without expiresAt/],
  ['webhooks', { enabled: undefined }, /enabled is required/],
  ['webhooks', { priority: 1 }, /"priority"/],
  ['webhooks', { organizationId: 'org_00000000000000000000000000' }, /is not in the file/],
  ['apiKeys', { scopes: ['read'] }, /apiKeys\[0\]\.scopes\[0\] \(key_\w+\): .*must be one of/],
  ['apiKeys', { tokenHash: 'ab' }, /tokenHash must be a SHA-256 in hex/],
  ['apiKeys', { requestsPerSecond: 0 }, /requestsPerSecond must be at least 1/],
  ['apiKeys', { name: '' }, /apiKeys\[0\]\.name/],
] as const)(
  'in %s, %j breaks a rule, which the error names with its place',
  async (kind, fields, error) => {
    await expect(checkContents(changed(kind, 0, fields), rules)).rejects.toThrow(error)
  },
)

test('all broken rules are listed, up to 20', async () => {
  const webhooks = Array.from({ length: 30 }, () => ({ ...contents.webhooks[0], url: 'x' }))
  const message = await messageOf({ ...contents, webhooks })
  expect(message.split('\n')).toHaveLength(22)
  expect(message).toContain('webhooks[19].url')
  expect(message).toMatch(/And 10 more\.$/)
})

test('an object that is in the file twice, or a file without a list, is rejected', async () => {
  const [organization] = contents.organizations
  const organizations = [...contents.organizations, organization]
  expect(await messageOf({ ...contents, organizations })).toMatch(
    /organizations\[2\] .* is in the file twice/,
  )
  expect(await messageOf({ ...contents, webhooks: undefined })).toContain('webhooks')
  expect(await messageOf(null)).toContain('Nothing was imported')
})

test('a file of an earlier version has no own names, and a uid that is in the file twice is rejected', async () => {
  const older = (records: readonly object[]) =>
    records.map((record) => {
      const { uid: _, metadata: __, ...fields } = record as Record<string, unknown>
      return fields
    })
  const { organizations, webhooks } = await checkContents(
    {
      ...contents,
      organizations: older(contents.organizations),
      webhooks: older(contents.webhooks),
    },
    rules,
  )
  for (const one of [...organizations, ...webhooks]) {
    expect(one).toMatchObject({ uid: null, metadata: {} })
  }
  const twice = contents.organizations.map((one) => ({ ...one, uid: 'fair' }))
  expect(await messageOf({ ...contents, organizations: twice })).toMatch(
    /organizations\[1\]\.uid .*"fair" is the uid of org_\w+, too/,
  )
  const spelled = contents.webhooks.map((one) => ({ ...one, uid: one.id }))
  expect(await messageOf({ ...contents, webhooks: spelled })).toContain('spelled like an id')
})

function changed(kind: keyof Contents, index: number, fields: object) {
  const records: object[] = [...contents[kind]]
  records[index] = { ...records[index], ...fields }
  return JSON.parse(JSON.stringify({ ...contents, [kind]: records }))
}

async function messageOf(given: unknown): Promise<string> {
  try {
    await checkContents(given, rules)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('The contents were accepted.')
}
