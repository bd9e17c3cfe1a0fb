import { useParams, useSearchParams } from 'react-router'
import type { OperationContext, TypedDocumentNode } from 'urql'
import { type Session, useSession } from '../session/session.tsx'
import type { PreloadRequest } from './preload.ts'
import { useRead } from './use-read.ts'

/** The address and the viewer of a page, on which its data depend. */
export interface PageContext {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly search: URLSearchParams
  readonly session: Session
}

/** The query of a page. The router asks it while the script of the page loads. */
interface PageQuery<Data, Variables extends object> {
  readonly query: TypedDocumentNode<Data, Variables>
  /** Null if the page asks nothing, or something that depends on the present time. */
  variables(page: PageContext): Variables | null
  readonly context: Partial<OperationContext>
  requestFor(page: PageContext): PreloadRequest | null
}

/** `typenames`: the types whose changes reload the page, even if its list is empty. */
export function pageQuery<Data, Variables extends object>(
  query: TypedDocumentNode<Data, Variables>,
  variables: PageQuery<Data, Variables>['variables'],
  typenames: string[] = [],
): PageQuery<Data, Variables> {
  const context = { additionalTypenames: typenames }
  return {
    query,
    variables,
    context,
    requestFor(page) {
      const given = variables(page)
      return given && { query, variables: given, context }
    },
  }
}

/** The data of a page. */
export function usePageQuery<Data, Variables extends object>(page: PageQuery<Data, Variables>) {
  const params = useParams()
  const [search] = useSearchParams()
  const variables = page.variables({ params, search, session: useSession() })
  return useRead(page.query, variables ?? ({} as Variables), {
    context: page.context,
    pause: variables === null,
  })
}
