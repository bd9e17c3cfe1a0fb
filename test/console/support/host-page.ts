import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A host application on its own origin. Its page frames a given URL, as docs/portal.md describes. */
export interface HostPage extends AsyncDisposable {
  readonly origin: string
  /** The URL of the page that frames `framed`. */
  framing(framed: string): string
}

/** For cookies and storage, `localhost` and `127.0.0.1` are different sites. */
export async function openHostPage(host = 'localhost'): Promise<HostPage> {
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/?')) return response.writeHead(204).end()
    const framed = new URL(request.url, 'http://host').searchParams.get('framed') ?? ''
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<!doctype html><html lang="en"><title>The host application</title>
      <h1>Your webhooks</h1>
      <iframe title="Webhooks" width="1100" height="640" src="${escapeHtml(framed)}"
        sandbox="allow-scripts allow-same-origin allow-forms"></iframe>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  return {
    origin,
    framing: (framed) => `${origin}/?${new URLSearchParams({ framed })}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
