import { explainFetchError, type ServerAccess, ServerError, sendRequest } from '../send-request.ts'
import type { ExportOptions } from './installation.ts'

/** The lines of an export from a server. A response that breaks off is an error that says how to resume. */
export async function* exportLines(
  access: ServerAccess,
  id: string,
  { after, secrets }: ExportOptions,
): AsyncGenerator<string> {
  const query = new URLSearchParams({ secrets: String(secrets), ...(after !== null && { after }) })
  const response = await sendRequest(access, {
    method: 'GET',
    path: `/export/organizations/${encodeURIComponent(id)}?${query}`,
    // An export takes as long as it takes.
    signal: new AbortController().signal,
  })
  if (!response.ok) throw new ServerError(await detailOf(response))
  let rest = ''
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield `${line}\n`
    }
  } catch (error) {
    const { message } = explainFetchError(access.url, error as Error)
    throw new ServerError(
      `${message} The export is not complete. Resume it with --after and the cursor of its last whole line.`,
    )
  }
}

const decoder = new TextDecoder()

async function detailOf(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => null)
  const { detail } = Object(problem) as { detail?: unknown }
  return typeof detail === 'string' ? detail : `The server answered ${response.status}.`
}
