/**
 * An installation of Posthorn as commands use it: through its server, or in its database. Both give the same results and
 * the same errors. Ids have their public form, and times are RFC 3339.
 */
export interface Installation {
  createOrganization(organization: NewOrganization): Promise<Organization>
  setRetention(organization: string, changes: RetentionChanges): Promise<Organization>
  /** The retention of an event type. Null: as long as the organization keeps others. */
  setEventTypeRetention(name: string, retentionDays: number | null): Promise<ListedEventType>
  /** All organizations, oldest first. */
  listOrganizations(): Promise<Organization[]>
  /** Deletes the organization. Its rows are deleted in the background. */
  deleteOrganization(id: string, force: boolean): Promise<Deletion>
  /** The deletion of the organization, or null. */
  findDeletion(id: string): Promise<Deletion | null>
  /** Organizations are given by their id or uid. Without one, the key is for the only one. */
  createKey(organization: string | undefined, key: NewKey): Promise<CreatedKey>
  /** The keys of one organization, or of all: oldest first, including expired and revoked ones. */
  listKeys(organization: string | undefined): Promise<Key[]>
  revokeKey(id: string): Promise<{ readonly revokedAt: string | null }>
  createEventType(type: EventTypeToCreate): Promise<{ readonly version: number }>
  /** Sorted by name. */
  listEventTypes(includeArchived: boolean): Promise<ListedEventType[]>
  setEventTypeArchived(
    name: string,
    archived: boolean,
    acceptBrokenSelections: boolean,
  ): Promise<{ readonly archivedAt: string | null }>
  /** The event types that are not archived, sorted by name. */
  describeEventTypes(): Promise<DescribedEventType[]>
  /** Without an organization, the event is of the only one. */
  publish(organization: string | undefined, event: EventToPublish): Promise<PublishedEvent>
}

/** An option of commands that change the catalogue. */
export const ACCEPT_BROKEN_SELECTIONS = [
  '--accept-broken-selections',
  'change the catalogue even if that breaks selections of webhooks, which then go on sending what they took when they were saved',
] as const

export interface Organization {
  readonly id: string
  readonly name: string
  readonly uid: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly retentionDays: number | null
  readonly keepResponseBodies: boolean
  readonly keepPayloads: boolean
  readonly createdAt: string
}

export interface NewOrganization {
  readonly name: string
  readonly uid: string | null
  readonly metadata: Readonly<Record<string, string>>
}

/** A missing field keeps its value. */
export interface RetentionChanges {
  readonly retentionDays?: number | null
  readonly keepResponseBodies?: boolean
  readonly keepPayloads?: boolean
}

export interface Deletion {
  readonly requestedAt: string
  readonly requestedBy: string
  readonly deletedRows: number
  /** The table that is being emptied. */
  readonly step: string | null
  readonly finishedAt: string | null
}

export interface NewKey {
  readonly scopes: readonly string[]
  readonly name: string | null
  readonly expiresAt: Date | null
  readonly requestsPerSecond: number | null
  readonly eventsPerSecond: number | null
  readonly deliveriesPerSecond: number | null
}

export interface CreatedKey {
  readonly id: string
  readonly token: string
}

export interface Key {
  readonly id: string
  readonly organization: { readonly id: string }
  readonly name: string | null
  readonly tokenHint: string
  readonly scopes: readonly string[]
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

export interface EventTypeToCreate {
  readonly name: string
  readonly description: string
  readonly group: string | null
  readonly searchKeys: readonly string[]
  /** The text of the JSON Schema, to keep it as it is. */
  readonly schemaText: string | null
  readonly exampleText: string | null
  readonly acceptBrokenSelections: boolean
}

export interface ListedEventType {
  readonly name: string
  readonly description: string
  readonly group: string | null
  readonly version: number
  readonly searchKeys: readonly string[]
  readonly retentionDays: number | null
  readonly archivedAt: string | null
}

export interface DescribedEventType {
  readonly name: string
  readonly description: string
  /** A JSON Schema. Null: `data` is any JSON value. */
  readonly schema: unknown
}

export interface EventToPublish {
  readonly type: string
  /** The text of the data, to keep it as it is. */
  readonly dataText: string
  /** The text of the data before the change that the event reports. */
  readonly previousText?: string
  readonly idempotencyKey: string | null
  readonly occurredAt: Date | null
}

export interface PublishedEvent {
  readonly id: string
  readonly deliveryCount: number
  readonly duplicate: boolean
}
