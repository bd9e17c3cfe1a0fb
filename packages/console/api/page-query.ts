import { useParams, useSearchParams } from 'react-router'
import type { OperationContext, TypedDocumentNode } from 'urql'
import { type Session, useSession } from '../session/session.tsx'
import { useRead } from './use-read.ts'

/** The address and the viewer of a page, on which its data depend. */
export interface PageContext {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly search: URLSearchParams
  readonly session: Session
}

interface PageQuery<Data, Variables extends object> {
  readonly query: TypedDocumentNode<Data, Variables>
  /** Null if the page asks nothing. */
  variables(page: PageContext): Variables | null
  readonly context: Partial<OperationContext>
}

/** The query of a page. `typenames`: the types whose changes reload the page, even if its list is empty. */
export function pageQuery<Data, Variables extends object>(
  query: TypedDocumentNode<Data, Variables>,
  variables: PageQuery<Data, Variables>['variables'],
  typenames: string[] = [],
): PageQuery<Data, Variables> {
  return { query, variables, context: { additionalTypenames: typenames } }
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
