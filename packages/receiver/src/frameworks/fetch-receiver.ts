import { type FetchRequest, readRequest } from '../fetch-body.ts'
import { createReceiver, type DeliveryHandler, type ReceiverOptions } from './receive.ts'

/** Answers a request of the Fetch API. `requestOf` finds it in what the framework passes to its handlers. */
export function fetchReceiver<Event, Context>(
  options: ReceiverOptions<Context>,
  handler: DeliveryHandler<Event, Context>,
  requestOf: (context: Context) => FetchRequest,
  remedy: string,
): (context: Context) => Promise<Response> {
  const { receive, maxBodyBytes } = createReceiver(options, handler, remedy)
  return async (context) => {
    const request = requestOf(context)
    const body = await readRequest(request, maxBodyBytes, remedy)
    const { status, text, type } = await receive(body, request.headers, context)
    return new Response(text || null, {
      status,
      ...(text && { headers: { 'content-type': type } }),
    })
  }
}
