import { useEffect } from 'react'
import { Route, Routes, useLocation } from 'react-router'
import { useClient } from 'urql'
import { preload } from './api/preload.ts'
import { NeedsScope } from './components/page/needs-scope.tsx'
import type { LazyPage } from './lazy-page.ts'
import { pageAt, ROUTES } from './pages.ts'
import { isEmbedded } from './session/portal.ts'
import { useSession } from './session/session.tsx'
import { EmbeddedShell } from './shell/embedded-shell.tsx'
import { Home } from './shell/home.tsx'
import { Shell } from './shell/shell.tsx'

/** Pages of the whole organization, which a session restricted to one webhook cannot read. */
const OF_ALL_WEBHOOKS = ['overview', 'events', 'consumers']

export function Pages() {
  const { webhookId } = useSession()
  usePageData()
  const isHome = (path: string) => webhookId !== null && OF_ALL_WEBHOOKS.includes(path)
  return (
    <Routes>
      <Route element={isEmbedded ? <EmbeddedShell /> : <Shell />}>
        <Route index element={<Home />} />
        {/* The viewer is signed in. */}
        <Route path="sign-in" element={<Home />} />
        <Route path="settings" element={<Home place="settings" />} />
        {ROUTES.map(([path, page]) => (
          <Route key={path} path={path} element={isHome(path) ? <Home /> : <Allowed {...page} />} />
        ))}
      </Route>
    </Routes>
  )
}

function Allowed({ Page, needs }: LazyPage) {
  return needs ? (
    <NeedsScope {...needs}>
      <Page />
    </NeedsScope>
  ) : (
    <Page />
  )
}

/** Asks for the data of a page while the script of the page loads. Once it is loaded, the page asks by itself. */
function usePageData(): void {
  const client = useClient()
  const session = useSession()
  const { pathname, search } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page
  useEffect(() => {
    const found = pageAt(pathname)
    if (!found || found.page.isLoaded()) return
    const page = { params: found.params, search: new URLSearchParams(search), session }
    for (const query of found.page.queries) {
      const request = query.requestFor(page)
      if (request) void preload(client, request)
    }
  }, [client, pathname])
}
