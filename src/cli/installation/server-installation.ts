import { randomUUID } from 'node:crypto'
import { parseId } from '../../db/ids.ts'
import { createGraphqlApi, UserError } from '../graphql-api.ts'
import { NotExecuted, type ServerAccess, ServerError } from '../send-request.ts'
import type {
  CreatedKey,
  Deletion,
  DescribedEventType,
  Installation,
  Key,
  ListedEventType,
  Organization,
  PublishedEvent,
} from './installation.ts'
import { onlyOrganization } from './only-organization.ts'

/**
 * The installation behind this server. A key with the scope `admin` acts for every organization, any other key for its
 * own.
 */
export function serverInstallation(access: ServerAccess): Installation {
  const api = createGraphqlApi(access)

  async function listOrganizations(): Promise<Organization[]> {
    return await allPages((after) => api.run<Page<Organization>>(ORGANIZATIONS, { after }))
  }

  /** Null if the key acts for its own organization only. */
  async function organizationsOfKey(): Promise<Organization[] | null> {
    try {
      return await listOrganizations()
    } catch (error) {
      if (error instanceof NotExecuted && error.code === 'FORBIDDEN') return null
      throw error
    }
  }

  async function requireOrganization(idOrUid: string): Promise<string> {
    const isId = parseId('organization', idOrUid) !== null
    const name = isId ? { id: idOrUid } : { uid: idOrUid }
    const found = await api.run<{ id: string } | null>(ORGANIZATION, name)
    if (found) return found.id
    throw new ServerError(`There is no organization ${JSON.stringify(idOrUid)}.`)
  }

  /** Undefined: the organization of the key. */
  async function selectOrganization(name: string | undefined): Promise<string | undefined> {
    if (name !== undefined) return await requireOrganization(name)
    const organizations = await organizationsOfKey()
    return organizations === null ? undefined : onlyOrganization(organizations).id
  }

  return {
    async createOrganization(input) {
      type Created = { organization: Organization }
      return (await api.run<Created>(CREATE_ORGANIZATION, { input })).organization
    },

    async setRetention(organization, input) {
      type Updated = { organization: Organization }
      const id = await requireOrganization(organization)
      return (await api.run<Updated>(UPDATE_ORGANIZATION, { id, input })).organization
    },

    async setEventTypeRetention(name, retentionDays) {
      type Updated = { eventType: ListedEventType }
      const variables = { id: `type_${name}`, input: { retentionDays } }
      return (await api.run<Updated>(UPDATE_EVENT_TYPE, variables)).eventType
    },

    listOrganizations,

    async deleteOrganization(id, force) {
      type Deleted = { deletion: Deletion }
      return (await api.run<Deleted>(DELETE_ORGANIZATION, { id, force })).deletion
    },

    async findDeletion(id) {
      return await api.run<Deletion | null>(DELETION, { id })
    },

    async createKey(organization, key) {
      type Created = { createdApiKey: { token: string; apiKey: { id: string } } }
      const owner = await selectOrganization(organization)
      const { createdApiKey } = await api.run<Created>(CREATE_KEY, { input: key }, owner)
      return { id: createdApiKey.apiKey.id, token: createdApiKey.token } satisfies CreatedKey
    },

    async listKeys(organization) {
      const owners =
        organization === undefined
          ? ((await organizationsOfKey())?.map(({ id }) => id) ?? [undefined])
          : [await requireOrganization(organization)]
      const keys: Key[] = []
      for (const owner of owners) {
        keys.push(...(await allPages((after) => api.run<Page<Key>>(KEYS, { after }, owner))))
      }
      // Ids begin with the time of their creation.
      return keys.sort((a, b) => (a.id < b.id ? -1 : 1))
    },

    async revokeKey(id) {
      type Revoked = { apiKey: { revokedAt: string | null } }
      const owners = (await organizationsOfKey())?.map((one) => one.id) ?? [undefined]
      for (const [i, owner] of owners.entries()) {
        try {
          return (await api.run<Revoked>(REVOKE_KEY, { id }, owner)).apiKey
        } catch (error) {
          const isElsewhere = error instanceof UserError && error.code === 'not_found'
          if (!isElsewhere || i === owners.length - 1) throw error
        }
      }
      throw new ServerError('There is no organization.')
    },

    async createEventType(input) {
      type Created = { eventType: { version: number } }
      return (await api.run<Created>(CREATE_EVENT_TYPE, { input })).eventType
    },

    async listEventTypes(includeArchived) {
      return await api.run<ListedEventType[]>(EVENT_TYPES, { includeArchived })
    },

    async setEventTypeArchived(name, archived, accepts) {
      type Changed = { eventType: { archivedAt: string | null } }
      const input = { archived, acceptBrokenSelections: accepts }
      return (await api.run<Changed>(UPDATE_EVENT_TYPE, { id: `type_${name}`, input })).eventType
    },

    async describeEventTypes() {
      return await api.run<DescribedEventType[]>(SCHEMAS)
    },

    async publish(organization, { occurredAt, ...event }) {
      type Published = { publishedEvent: PublishedEvent }
      const owner = await selectOrganization(organization)
      // The key makes it safe to publish again when it is unknown whether the server did.
      const idempotencyKey = event.idempotencyKey ?? `posthorn-publish-${randomUUID()}`
      const input = { ...event, idempotencyKey, timestamp: occurredAt }
      try {
        return (await api.run<Published>(PUBLISH, { input }, owner)).publishedEvent
      } catch (error) {
        throw mayBePublished(error, idempotencyKey)
      }
    },
  }
}

interface Page<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

async function allPages<Node>(
  readPage: (after: string | null) => Promise<Page<Node>>,
): Promise<Node[]> {
  const nodes: Node[] = []
  for (let after: string | null = null; ; ) {
    const page: Page<Node> = await readPage(after)
    nodes.push(...page.nodes)
    // Lists are newest first, and commands print the oldest first.
    if (!page.pageInfo.hasNextPage) return nodes.toReversed()
    after = page.pageInfo.endCursor
  }
}

function mayBePublished(error: unknown, idempotencyKey: string): unknown {
  const isCertain = error instanceof NotExecuted || error instanceof UserError
  if (isCertain || !(error instanceof ServerError)) return error
  return new ServerError(
    `${error.message} The event may be published all the same. To publish it at most once, run the command again with --idempotency-key ${idempotencyKey}`,
  )
}

const ORGANIZATION_FIELDS =
  'id name uid metadata retentionDays keepResponseBodies keepPayloads createdAt'

const ORGANIZATIONS = `query ($after: String) {
  organizations(first: 100, after: $after) {
    nodes { ${ORGANIZATION_FIELDS} }
    pageInfo { hasNextPage endCursor }
  }
}`

const ORGANIZATION = 'query ($id: ID, $uid: String) { organization(id: $id, uid: $uid) { id } }'

const USER_ERROR = '... on UserError { code message }'

const CREATE_ORGANIZATION = `mutation ($input: CreateOrganizationInput!) {
  createOrganization(input: $input) {
    ... on CreateOrganizationSuccess { organization { ${ORGANIZATION_FIELDS} } }
    ${USER_ERROR}
  }
}`

const UPDATE_ORGANIZATION = `mutation ($id: ID!, $input: UpdateOrganizationInput!) {
  updateOrganization(id: $id, input: $input) {
    ... on UpdateOrganizationSuccess { organization { ${ORGANIZATION_FIELDS} } }
    ${USER_ERROR}
  }
}`

const DELETION_FIELDS = 'requestedAt requestedBy deletedRows step finishedAt'

const DELETE_ORGANIZATION = `mutation ($id: ID!, $force: Boolean!) {
  deleteOrganization(id: $id, input: { force: $force }) {
    ... on DeleteOrganizationSuccess { deletion { ${DELETION_FIELDS} } }
    ${USER_ERROR}
  }
}`

const DELETION = `query ($id: ID!) { organizationDeletion(id: $id) { ${DELETION_FIELDS} } }`

const CREATE_KEY = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    ... on CreateApiKeySuccess { createdApiKey { token apiKey { id } } }
    ${USER_ERROR}
  }
}`

const KEYS = `query ($after: String) {
  apiKeys(first: 100, after: $after) {
    nodes {
      id organization { id } name tokenHint scopes createdAt expiresAt revokedAt lastUsedAt
    }
    pageInfo { hasNextPage endCursor }
  }
}`

const REVOKE_KEY = `mutation ($id: ID!) {
  revokeApiKey(id: $id) {
    ... on RevokeApiKeySuccess { apiKey { revokedAt } }
    ${USER_ERROR}
  }
}`

const SCHEMAS = 'query { eventTypes { name description schema } }'

const CREATE_EVENT_TYPE = `mutation ($input: CreateEventTypeInput!) {
  createEventType(input: $input) {
    ... on CreateEventTypeSuccess { eventType { version } }
    ${USER_ERROR}
  }
}`

const TYPE_FIELDS = 'name description group version searchKeys retentionDays archivedAt'

const EVENT_TYPES = `query ($includeArchived: Boolean) {
  eventTypes(includeArchived: $includeArchived) {
    ${TYPE_FIELDS}
  }
}`

const UPDATE_EVENT_TYPE = `mutation ($id: ID!, $input: UpdateEventTypeInput!) {
  updateEventType(id: $id, input: $input) {
    ... on UpdateEventTypeSuccess { eventType { ${TYPE_FIELDS} } }
    ${USER_ERROR}
  }
}`

const PUBLISH = `mutation ($input: PublishEventInput!) {
  publishEvent(input: $input) {
    ... on PublishEventSuccess { publishedEvent { id deliveryCount duplicate } }
    ${USER_ERROR}
  }
}`
