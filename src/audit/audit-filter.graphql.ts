import { choicesRule, MAX_CHOICES } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { AUDIT_ACTIONS } from './audit-entry.ts'
import type { AuditFilterInput } from './read-audit-filter.ts'
import type { SubjectKind } from './subject-kind.ts'

declare module '../graphql/builder.ts' {
  interface Inputs {
    AuditFilter: AuditFilterInput
  }
}

const AuditSource = enumOf('AuditSource', 'The source of a change.', {
  graphql: 'The GraphQL API.',
  rest: 'The REST API.',
  cli: 'The command line.',
  console: 'The console, and signing in to it and out.',
  system: 'Posthorn itself.',
})

builder.prismaObjectFields('AuditEntry', (t) => ({
  source: t.expose('source', { type: AuditSource, description: 'The source of the change.' }),
}))

const AuditSubjectKind = enumOf<SubjectKind>(
  'AuditSubjectKind',
  'The kind of object that a change is about.',
  {
    webhook: 'A webhook, or its signing secret.',
    api_key: 'An API key.',
    session:
      'A portal or frontend session, or the API key of a person who signed in to the console or out.',
    delivery: 'A delivery.',
    bulk_task: 'A bulk task.',
    event_type: 'An event type.',
    organization: 'An organization.',
    incident: 'An incident of a webhook.',
    encryption: 'The encryption keys.',
    alerts: 'The switch of operational events, and the addresses of alerts.',
    consumer: 'A consumer of events.',
  },
)

builder.inputType('AuditFilter', {
  description: 'Selects audit log entries. An entry must match all given fields.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'Entries created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Entries created before this time.' }),
    actions: t.stringList({
      description: `Entries of one of these actions. At most ${MAX_CHOICES} of ${AUDIT_ACTIONS.map((action) => `\`${action}\``).join(', ')}.`,
      validate: choicesRule,
    }),
    subjectKinds: t.field({
      type: [AuditSubjectKind],
      description: 'Entries about objects of one of these kinds.',
      validate: choicesRule,
    }),
    subjectIds: t.stringList({
      description: `Entries about one of the objects with these ids, or of the event types with these names. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    apiKeyIds: t.idList({
      description: `Entries of changes made with one of these API keys: \`key_…\`. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    people: t.stringList({
      description: `Entries of changes made by one of these people: the value of \`person\`, or only its email address. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    sources: t.field({
      type: [AuditSource],
      description: 'Entries of changes from one of these sources.',
      validate: choicesRule,
    }),
  }),
})
