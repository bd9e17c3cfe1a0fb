import { builder } from '../graphql/builder.ts'

export const IncidentState = builder.enumType('IncidentState', {
  description: 'The state of an incident.',
  values: {
    OPEN: { value: 'open', description: 'The webhook is in trouble.' },
    SNOOZED: {
      value: 'snoozed',
      description:
        'The webhook is in trouble, and somebody chose to hear of it later. Ends at `snoozedUntil`, or when the state of the webhook gets worse.',
    },
    CLOSED: { value: 'closed', description: 'The trouble is over.' },
  } as const,
})

export const IncidentCloseReason = builder.enumType('IncidentCloseReason', {
  description: 'Why an incident was closed.',
  values: {
    RECOVERED: { value: 'recovered', description: 'The webhook is healthy.' },
    DISABLED: { value: 'disabled', description: 'The webhook was disabled.' },
    DELETED: { value: 'deleted', description: 'The webhook was deleted.' },
  } as const,
})

export const IncidentAction = builder.enumType('IncidentAction', {
  description: 'What happened to an incident.',
  values: {
    OPENED: { value: 'opened', description: 'The trouble began.' },
    STATE_CHANGED: { value: 'state_changed', description: 'The state of the webhook changed.' },
    CLOSED: { value: 'closed', description: 'The trouble is over.' },
    ACKNOWLEDGED: { value: 'acknowledged', description: 'Somebody acknowledged the incident.' },
    UNACKNOWLEDGED: { value: 'unacknowledged', description: 'The acknowledgment was withdrawn.' },
    SNOOZED: { value: 'snoozed', description: 'Somebody snoozed the incident.' },
    SNOOZE_ENDED: { value: 'snooze_ended', description: 'Somebody ended the snooze.' },
    ASSIGNED: { value: 'assigned', description: 'A person was named.' },
    UNASSIGNED: { value: 'unassigned', description: 'The name was removed.' },
  } as const,
})

export type Action = typeof IncidentAction.$inferType

export type CloseReason = typeof IncidentCloseReason.$inferType
