import { builder } from '../../graphql/builder.ts'

export const DESCRIPTIONS = {
  verifyEndpoint:
    'Whether a URL is only used once its endpoint has answered a challenge: a signed POST of `{"type": "verification", "challenge": "…"}` that is answered with 2xx and `{"challenge": "…"}` within 10 s. Then each new URL needs a new challenge, whichever interface sets it. Default: false.',
  messageIdKind:
    'What the header with the id has: the id of the delivery, the default, or that of the event, which redeliveries and other webhooks have, too. Outside the contract of deliveries, for receivers that expect the id of the event.',
} as const

export const MessageIdKind = builder.enumType('MessageIdKind', {
  description: 'What the header with the id of a delivery has.',
  values: {
    DELIVERY: { value: 'delivery', description: 'The id of the delivery: `msg_…`.' },
    EVENT: { value: 'event', description: 'The id of the event: `evt_…`.' },
  } as const,
})

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

const NOT_FOR_SESSIONS = 'Not for sessions.'

/** The fields of the inputs that create or change a webhook. */
export function endpointInputFields(t: InputFields) {
  const description = (name: keyof typeof DESCRIPTIONS) =>
    `${DESCRIPTIONS[name]} ${NOT_FOR_SESSIONS}`
  return {
    verifyEndpoint: t.boolean({ description: description('verifyEndpoint') }),
    messageIdKind: t.field({ type: MessageIdKind, description: description('messageIdKind') }),
  }
}
