import type { ReactNode } from 'react'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { EmptyState } from './empty-state.tsx'
import { Page } from './page.tsx'

interface NeedsScopeProps {
  readonly scope: string
  /** The title of the page. */
  readonly title: string
  readonly children: ReactNode
}

/** Shows a page only to holders of a scope. Others may follow a link here, and see which scope they lack. */
export function NeedsScope({ scope, title, children }: NeedsScopeProps) {
  if (useSession().can(scope)) return children
  return (
    <Page title={t(title)}>
      <NotAllowed scope={scope} />
    </Page>
  )
}

export function NotAllowed({ scope }: { scope: string }) {
  return (
    <EmptyState title={t('Access denied')}>
      {`This page requires the scope ${scope}. Ask the person who gave you access.`}
    </EmptyState>
  )
}
