import { createAnswerPlan } from './answer-plan.ts'
import { formatDelivery, formatDeliveryAsJson } from './format-delivery.ts'
import type { DeliveryHandler } from './https-receiver.ts'
import type { ListenOptions } from './listen-options.ts'
import { customHeaders, type ReceivedDelivery } from './received-delivery.ts'
import type { Verifier } from './verifier.ts'

/** Verifies each delivery, answers it as the options say, and then prints it on stdout. */
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
  const plan = createAnswerPlan({ failures: options.fail, status: options.status })
  const most = options.count ?? Number.POSITIVE_INFINITY
  let taken = 0
  let printed = 0

  return async ({ headers, body, respond }) => {
    const receivedAt = new Date()
    if (++taken > most) {
      await respond(503, 'This receiver is about to stop (--count).')
      return
    }
    const read = (name: string) => headers[headerPrefix + name]?.toString() ?? null
    const id = read('id')
    const arrivals = plan.arrive(id)
    const verdict = body === null ? TOO_LARGE : await verifier(body, headers)
    const answer =
      body === null ? { status: 413, text: TOO_LARGE.message } : plan.answer(id, verdict)
    const wasAnswered = await respond(answer.status, answer.text, options.delay)
    print({
      ...{ receivedAt, verdict, id, arrivals },
      timestamp: read('timestamp'),
      signature: read('signature'),
      headers: customHeaders(headers, headerPrefix),
      body: body?.toString() ?? '',
      answered: wasAnswered ? answer.status : null,
    })
    if (++printed >= most) onLast()
  }

  function print(delivery: ReceivedDelivery): void {
    const text = options.json
      ? formatDeliveryAsJson(delivery)
      : formatDelivery(delivery, headerPrefix)
    process.stdout.write(`${text}\n`)
  }
}

const TOO_LARGE = { kind: 'rejected', message: 'The body is larger than 1 MiB.' } as const
