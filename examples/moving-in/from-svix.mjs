// Registers the endpoints of Svix in Posthorn, with their uids, secrets, subscriptions and names of headers.
//
//   SVIX_TOKEN=… POSTHORN_API_KEY=… node from-svix.mjs [--dry-run] [--all-event-types]
//
// The API key has the scope `admin`. SVIX_URL and POSTHORN_URL are the URLs of the servers. Everything is read and
// checked before anything is written. A second run creates what is missing and changes what differs, but no secret.

import { parseArgs } from 'node:util'

const { values: flags } = readFlags()
const { SVIX_TOKEN, SVIX_URL = 'https://api.svix.com' } = process.env
const { POSTHORN_API_KEY, POSTHORN_URL = 'http://127.0.0.1:4000' } = process.env

/** The fields that this script takes over, and those that decide nothing about deliveries. */
const KNOWN = {
  application: ['id', 'uid', 'name', 'metadata', 'createdAt', 'updatedAt'],
  endpoint: [
    ...['id', 'uid', 'url', 'description', 'filterTypes', 'metadata', 'rateLimit', 'throttleRate'],
    ...['disabled', 'version', 'createdAt', 'updatedAt'],
  ],
  secret: ['key'],
  headers: ['headers'],
  transformation: ['code', 'enabled', 'updatedAt'],
}

/** The fields that are known, too, if they are empty. */
const EMPTY = ['channels', 'rateLimit', 'throttleRate', 'sensitive']
const isEmpty = (value) => value == null || (Array.isArray(value) && value.length === 0)

function readFlags() {
  try {
    const options = { 'dry-run': { type: 'boolean' }, 'all-event-types': { type: 'boolean' } }
    return parseArgs({ options })
  } catch ({ message }) {
    console.error(`${message}\nThe first lines of this file have the usage.`)
    process.exit(1)
  }
}

function stop(text) {
  throw new Error(`${text} Nothing was written.`)
}

/** Stops at a field that the script does not know: the field could narrow what the endpoint receives. */
function checked(kind, name, record) {
  for (const [field, value] of Object.entries(record)) {
    if (KNOWN[kind].includes(field) || (EMPTY.includes(field) && isEmpty(value))) continue
    stop(
      `${name} has the field "${field}" (${JSON.stringify(value)}), which this script does not take over. Remove the field in Svix, or change the script.`,
    )
  }
  return record
}

/** `missing` takes the place of an answer of 404. */
async function request(url, token, init = {}, missing = null) {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && !['localhost', '127.0.0.1'].includes(hostname)) {
    stop(`${url} is not https, so that others could read the token.`)
  }
  const headers = { authorization: `Bearer ${token}`, ...init.headers }
  const response = await fetch(url, { ...init, headers, redirect: 'error' })
  if (response.status === 404 && missing) return missing
  if (!response.ok) throw new Error(`${url} answered with ${response.status}.`)
  return await response.json()
}

const svix = (path, missing) => request(`${SVIX_URL}/api/v1${path}`, SVIX_TOKEN, {}, missing)

/** All items of a list, page by page. */
async function list(path) {
  const items = []
  for (let query = '?limit=250'; ; ) {
    const { data, done, iterator } = await svix(path + query)
    items.push(...data)
    if (done) return items
    const next = `?limit=250&iterator=${encodeURIComponent(iterator)}`
    if (next === query) throw new Error(`${path} names the same next page again.`)
    query = next
  }
}

async function readWebhook(app, endpoint) {
  const name = `The endpoint ${endpoint.id} of the application ${app.id}`
  const { filterTypes, throttleRate, rateLimit } = checked('endpoint', name, endpoint)
  const path = `/app/${app.id}/endpoint/${endpoint.id}`
  const { key } = checked('secret', name, await svix(`${path}/secret`))
  const { headers } = checked('headers', name, await svix(`${path}/headers`))
  // Svix on servers of your own has no transformations.
  if (checked('transformation', name, await svix(`${path}/transformation`, {})).enabled) {
    stop(`${name} has a transformation. Write a template or a selection instead.`)
  }
  if (isEmpty(filterTypes) && !flags['all-event-types']) {
    stop(
      `${name} has no "filterTypes": Svix sends all event types to it, also those that come later. With --all-event-types, Posthorn does the same.`,
    )
  }
  return {
    uid: endpoint.uid || endpoint.id,
    disabled: endpoint.disabled,
    input: {
      url: endpoint.url,
      eventSubscriptions: isEmpty(filterTypes) ? ['*'] : filterTypes,
      description: endpoint.description || null,
      metadata: endpoint.metadata ?? {},
      headers: Object.entries(headers).map(([header, value]) => ({ name: header, value })),
      rateLimitPerSecond: throttleRate ?? rateLimit ?? null,
      // As in Svix, the body is the payload alone.
      template: '"{{ data | json }}"',
      headerPrefix: 'svix-',
      secret: key.startsWith('whs') ? key : `whsec_${key}`,
    },
  }
}

/** Upserts an Organization or a Webhook, the latter in an organization. */
async function upsert(type, { uid, input }, organization) {
  if (flags['dry-run']) return 'not written'
  // A header has bytes: those of the UTF-8.
  const inOrganization = organization && Buffer.from(organization).toString('latin1')
  const query = `mutation ($uid: String!, $input: Upsert${type}Input!) {
    result: upsert${type}(uid: $uid, input: $input) {
      ... on Upsert${type}Success { created changed }
      ... on UserError { message } ... on ValidationError { issues { path message } } } }`
  const { data, errors } = await request(`${POSTHORN_URL}/graphql`, POSTHORN_API_KEY, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(inOrganization && { 'posthorn-organization': inOrganization }),
    },
    body: JSON.stringify({ query, variables: { uid, input } }),
  })
  const { created, changed, ...problem } = data?.result ?? { errors }
  if (created === undefined) throw new Error(`${type} ${uid}: ${JSON.stringify(problem)}`)
  return created ? 'created' : changed ? 'changed' : 'unchanged'
}

try {
  const organizations = []
  for (const app of await list('/app')) {
    const { id, uid, name, metadata } = checked('application', `The application ${app.id}`, app)
    const webhooks = []
    for (const one of await list(`/app/${id}/endpoint`)) webhooks.push(await readWebhook(app, one))
    organizations.push({ uid: uid || id, input: { name, metadata: metadata ?? {} }, webhooks })
  }
  for (const organization of organizations) {
    const { uid, webhooks } = organization
    console.log(`${await upsert('Organization', organization)}: ${uid}`)
    // A new webhook is disabled, because Svix still sends. A later run leaves the switch alone.
    for (const webhook of webhooks) {
      const note = webhook.disabled ? ' (disabled in Svix)' : ''
      console.log(`${await upsert('Webhook', webhook, uid)}: ${uid}/${webhook.uid}${note}`)
    }
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
