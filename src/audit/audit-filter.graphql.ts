import { choicesRule, MAX_CHOICES, someRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { AUDIT_ACTIONS } from './audit-entry.ts'
import type { AuditFilterInput } from './read-audit-filter.ts'
import type { SubjectKind } from './subject-kind.ts'

declare module '../graphql/builder.ts' {
  interface Inputs {
    AuditFilter: AuditFilterInput
  }
}

const AuditSource = builder.enumType('AuditSource', {
  description: 'The source of a change.',
  values: {
    GRAPHQL: { value: 'graphql', description: 'The GraphQL API.' },
    REST: { value: 'rest', description: 'The REST API.' },
    CLI: { value: 'cli', description: 'The command line.' },
    CONSOLE: {
      value: 'console',
      description: 'The console, and signing in to it and out.',
    },
    SYSTEM: { value: 'system', description: 'Posthorn itself.' },
  } as const,
})

builder.prismaObjectFields('AuditEntry', (t) => ({
  source: t.expose('source', { type: AuditSource, description: 'The source of the change.' }),
}))

const AuditSubjectKind = builder.enumType('AuditSubjectKind', {
  description: 'The kind of object that a change is about.',
  values: {
    WEBHOOK: { value: 'webhook', description: 'A webhook, or its signing secret.' },
    API_KEY: { value: 'api_key', description: 'An API key.' },
    SESSION: {
      value: 'session',
      description:
        'A portal or frontend session, or the API key of a person who signed in to the console or out.',
    },
    DELIVERY: { value: 'delivery', description: 'A delivery.' },
    BULK_TASK: { value: 'bulk_task', description: 'A bulk task.' },
    EVENT_TYPE: { value: 'event_type', description: 'An event type.' },
    ORGANIZATION: { value: 'organization', description: 'An organization.' },
    INCIDENT: { value: 'incident', description: 'An incident of a webhook.' },
    ENCRYPTION: { value: 'encryption', description: 'The encryption keys.' },
    ALERTS: {
      value: 'alerts',
      description: 'The switch of operational events, and the addresses of alerts.',
    },
    CONSUMER: { value: 'consumer', description: 'A consumer of events.' },
  } satisfies Record<string, { value: SubjectKind; description: string }>,
})

builder.inputType('AuditFilter', {
  description: 'Selects audit log entries. An entry must match all given fields.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'Entries created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Entries created before this time.' }),
    actions: t.stringList({
      description: `Entries of one of these actions. At most ${MAX_CHOICES} of ${AUDIT_ACTIONS.map((action) => `\`${action}\``).join(', ')}.`,
      validate: someRule,
    }),
    subjectKinds: t.field({
      type: [AuditSubjectKind],
      description: 'Entries about objects of one of these kinds.',
      validate: choicesRule,
    }),
    subjectIds: t.stringList({
      description: `Entries about one of the objects with these ids, or of the event types with these names. At most ${MAX_CHOICES}.`,
      validate: someRule,
    }),
    apiKeyIds: t.idList({
      description: `Entries of changes made with one of these API keys: \`key_…\`. At most ${MAX_CHOICES}.`,
      validate: someRule,
    }),
    people: t.stringList({
      description: `Entries of changes made by one of these people: the value of \`person\`, or only its email address. At most ${MAX_CHOICES}.`,
      validate: someRule,
    }),
    sources: t.field({
      type: [AuditSource],
      description: 'Entries of changes from one of these sources.',
      validate: choicesRule,
    }),
  }),
})
