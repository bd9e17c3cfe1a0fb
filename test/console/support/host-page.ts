import { createServer } from 'node:http'
import { closeServer, listen } from '../../support/listen.ts'

export type HostPage = Awaited<ReturnType<typeof openHostPage>>

/** A host application on its own origin. For cookies and storage, `localhost` and `127.0.0.1` are different sites. */
export async function openHostPage() {
  let session = ''
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host')
    if (pathname === '/favicon.ico') return response.writeHead(204).end()
    if (pathname === '/webhooks/portal-session') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ url: session }))
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<!doctype html><html lang="en"><title>The host application</title>
      ${searchParams.get('html')}`)
  })
  const origin = `http://localhost:${await listen(server)}`
  const withHtml = (html: string) => `${origin}/?${new URLSearchParams({ html })}`
  return {
    origin,
    /** The URL of a page with this HTML. */
    withHtml,
    /** The URL of a page that frames `framed`, as docs/guides/portal.md describes. */
    framing: (framed: string, width = 1_100) =>
      withHtml(`<h1>Your webhooks</h1>
        <iframe title="Webhooks" width="${width}" height="640" src="${escapeHtml(framed)}"
          sandbox="allow-scripts allow-same-origin allow-forms"></iframe>`),
    /** The URL of a page that shows the portal at `framed` with `<posthorn-portal>`, of which it logs the events. */
    withElement: (framed: string, attributes = '') =>
      withHtml(`
        <script type="module" src="${new URL(framed).origin}/portal/element.js"></script>
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
        </script>`),
    /** Answers the route `/webhooks/portal-session` with the URL of a session. */
    answerSession(url: string) {
      session = url
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
