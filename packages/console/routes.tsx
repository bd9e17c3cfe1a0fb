import { NuqsAdapter } from 'nuqs/adapters/react-router/v8'
import { useEffect } from 'react'
import { Navigate, Route, Routes, useLocation } from 'react-router'
import { useClient } from 'urql'
import { preload } from './api/preload.ts'
import { NeedsScope } from './components/page/needs-scope.tsx'
import type { LazyPage } from './lazy-page.ts'
import { pageAt, ROUTES } from './pages.ts'
import { isEmbedded } from './session/portal.ts'
import { useSession } from './session/session.tsx'
import { EmbeddedShell } from './shell/embedded-shell.tsx'
import { navigationFor } from './shell/navigation.ts'
import { Shell } from './shell/shell.tsx'

/** Pages of the whole organization, which a session restricted to one webhook cannot read. */
const OF_ALL_WEBHOOKS = ['overview', 'events', 'consumers']

export function Pages() {
  const { webhookId } = useSession()
  usePageData()
  const isHome = (path: string) => webhookId !== null && OF_ALL_WEBHOOKS.includes(path)
  return (
    <NuqsAdapter defaultOptions={{ shallow: false }}>
      <Routes>
        <Route element={isEmbedded ? <EmbeddedShell /> : <Shell />}>
          <Route index element={<Home />} />
          <Route path="sign-in" element={<Home />} />
          {ROUTES.map(([path, page]) => (
            <Route
              key={path}
              path={path}
              element={isHome(path) ? <Home /> : <Allowed {...page} />}
            />
          ))}
        </Route>
      </Routes>
    </NuqsAdapter>
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

/** Redirects to the first page that the viewer may see. The viewer is signed in, so `/sign-in` does the same. */
function Home() {
  const [first] = navigationFor(useSession()).flatMap(({ destinations }) => destinations)
  return <Navigate to={first?.to ?? '/event-types'} replace />
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
