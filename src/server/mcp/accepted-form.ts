const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'

/** What the SDK wants of every client. Each answer of Posthorn is one message, which either form can hold. */
export const BOTH_FORMS = `${JSON_TYPE}, ${STREAM_TYPE}`

/** The forms that a client takes, by its header `Accept`; without one, both. */
export function acceptedForms(accept: string | null): { json: boolean; stream: boolean } {
  const names = (accept || '*/*').toLowerCase()
  const takes = (...ranges: string[]) => ranges.some((range) => names.includes(range))
  return {
    json: takes('*/*', 'application/*', JSON_TYPE),
    stream: takes('*/*', 'text/*', STREAM_TYPE),
  }
}

/** The response in a form that the client takes. */
export async function inAcceptedForm(
  response: Response,
  { json, stream }: { json: boolean; stream: boolean },
): Promise<Response> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith(STREAM_TYPE) && !stream) {
    const [, message = ''] = /^data: (.*)$/m.exec(await response.text()) ?? []
    return withBody(response, message, JSON_TYPE)
  }
  if (type.startsWith(JSON_TYPE) && !json && response.ok) {
    return withBody(response, `event: message\ndata: ${await response.text()}\n\n`, STREAM_TYPE)
  }
  return response
}

function withBody({ status, headers }: Response, body: string, type: string): Response {
  const changed = new Headers(headers)
  changed.set('content-type', type)
  return new Response(body, { status, headers: changed })
}
