import type { DeliveryHandler } from '../../http/https-receiver.ts'
import { challengeAnswer } from '../../receiver/challenge-answer.ts'
import { formatDelivery, formatDeliveryAsJson } from './format-delivery.ts'
import type { ListenOptions } from './listen-options.ts'
import { customHeaders, type ReceivedDelivery } from './received-delivery.ts'
import { createResponsePlan } from './response-plan.ts'
import type { Verifier } from './verifier.ts'

/** Verifies each delivery, responds according to the options, and then prints the delivery on stdout. */
export function createDeliveryHandler({
  options,
  headerPrefix,
  verifier,
  onLast,
}: {
  readonly options: ListenOptions
  readonly headerPrefix: string
  readonly verifier: Verifier
  readonly onLast: () => void
}): DeliveryHandler {
  const plan = createResponsePlan({ failures: options.fail, status: options.status })
  const maxDeliveries = options.count ?? Number.POSITIVE_INFINITY
  let received = 0
  let printed = 0

  return async ({ headers, body, respond }) => {
    const receivedAt = new Date()
    if (++received > maxDeliveries) {
      await respond(503, 'This receiver is stopping (--count).')
      return
    }
    const read = (name: string) => headers[headerPrefix + name]?.toString() ?? null
    const id = read('id')
    const arrivals = plan.countArrival(id)
    const verification = body === null ? TOO_LARGE : await verifier(body, headers)
    const { status, text } =
      body === null ? { status: 413, text: TOO_LARGE.message } : plan.respondTo(id, verification)
    const challenge = status < 300 ? answerToChallenge(body) : null
    const wasAnswered = await respond(status, challenge ?? text, options.delay)
    print({
      ...{ receivedAt, verification, id, arrivals },
      timestamp: read('timestamp'),
      signature: read('signature'),
      isTest: read('test') === 'true',
      headers: customHeaders(headers, headerPrefix),
      body: body?.toString() ?? '',
      answered: wasAnswered ? status : null,
    })
    if (++printed >= maxDeliveries) onLast()
  }

  function print(delivery: ReceivedDelivery): void {
    const text = options.json
      ? formatDeliveryAsJson(delivery)
      : formatDelivery(delivery, headerPrefix)
    process.stdout.write(`${text}\n`)
  }
}

/** What an endpoint has to answer before a webhook with `verifyEndpoint` uses its URL. Null for a delivery. */
function answerToChallenge(body: Buffer | null): string | null {
  try {
    const answer = challengeAnswer(JSON.parse(String(body)))
    return answer && JSON.stringify(answer)
  } catch {
    return null
  }
}

const TOO_LARGE = { kind: 'rejected', message: 'The body is larger than 1 MiB.' } as const
