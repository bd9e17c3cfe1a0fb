import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A host application on its own origin. Its page frames a given URL, as docs/guides/portal.md describes. */
export interface HostPage extends AsyncDisposable {
  readonly origin: string
  /** The URL of the page that frames `framed`. */
  framing(framed: string, width?: number): string
  /** The URL of the page that shows the portal at `framed` with `<posthorn-portal>`, of which it logs the events. */
  withElement(framed: string, attributes?: string): string
  /** The URL of a page with this HTML, whose route `/webhooks/portal-session` answers with the URL of a session. */
  withHtml(html: string, sessionUrl: string): string
  /** The URL of a page without anything. */
  readonly empty: string
}

/** For cookies and storage, `localhost` and `127.0.0.1` are different sites. */
export async function openHostPage(host = 'localhost'): Promise<HostPage> {
  const written = { html: '', sessionUrl: '' }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host')
    const framed = searchParams.get('framed') ?? ''
    const width = Number(searchParams.get('width'))
    if (pathname === '/favicon.ico') return response.writeHead(204).end()
    if (pathname === '/webhooks/portal-session') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ url: written.sessionUrl }))
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    if (pathname === '/written') return response.end(written.html)
    if (pathname === '/empty') return response.end('<!doctype html><title>Empty</title>')
    const attributes = searchParams.get('attributes') ?? ''
    if (pathname === '/element') return response.end(elementPage(framed, attributes))
    response.end(`<!doctype html><html lang="en"><title>The host application</title>
      <h1>Your webhooks</h1>
      <iframe title="Webhooks" width="${width}" height="640" src="${escapeHtml(framed)}"
        sandbox="allow-scripts allow-same-origin allow-forms"></iframe>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  return {
    origin,
    empty: `${origin}/empty`,
    withElement: (framed, attributes = '') =>
      `${origin}/element?${new URLSearchParams({ framed, attributes })}`,
    withHtml(html, sessionUrl) {
      Object.assign(written, {
        html: `<!doctype html><title>The host application</title>${html}`,
        sessionUrl,
      })
      return `${origin}/written`
    },
    framing: (framed, width = 1_100) =>
      `${origin}/?${new URLSearchParams({ framed, width: `${width}` })}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** As docs/guides/portal.md describes. The test sets `window.renewalUrl`. */
function elementPage(framed: string, attributes: string): string {
  return `<!doctype html><html lang="en"><title>The host application</title>
    <script type="module" src="${escapeHtml(new URL(framed).origin)}/portal/element.js"></script>
    <h1>Your webhooks</h1>
    <posthorn-portal src="${escapeHtml(framed)}" ${attributes}></posthorn-portal>
    <ol id="events"></ol>
    <script>
      const portal = document.querySelector('posthorn-portal')
      for (const name of ['session-expiring', 'session-ended']) {
        portal.addEventListener(name, () => {
          document.getElementById('events').append(Object.assign(document.createElement('li'), { textContent: name }))
        })
      }
    </script>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
