import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { useClient } from 'urql'
import { preload } from '../api/preload.ts'
import { pageAt } from '../pages.ts'
import { useSession } from '../session/session.tsx'

/** Asks for the data of a page while the script of the page loads. Once it is loaded, the page asks by itself. */
export function usePageData(): void {
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
