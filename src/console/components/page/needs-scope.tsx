import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { Empty } from './empty.tsx'
import { Page } from './page.tsx'

interface NeedsScopeProps {
  readonly scope: string
  /** The title of the page. */
  readonly title: string
  readonly children: ReactNode
}

/** A page for those who have a scope. Others, who came here by a link, are told which one they lack. */
export function NeedsScope({ scope, title, children }: NeedsScopeProps) {
  const { can } = useSession()
  if (can(scope)) return children
  return (
    <Page title={title}>
      <Empty title="This page is not for this API key">
        It needs the scope <span className="ph-mono">{scope}</span>. Sign in with a key that has it.
      </Empty>
    </Page>
  )
}
