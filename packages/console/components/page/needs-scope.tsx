import { Alert } from '@mantine/core'
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
  const { can } = useSession()
  if (can(scope)) return children
  return (
    <Page title={t(title)}>
      <EmptyState title={t('Access denied')}>
        This page requires the scope <span className="ph-mono">{scope}</span>. Sign in with an API
        key that has this scope.
      </EmptyState>
    </Page>
  )
}

/** For a viewer who followed a link to a page that their scopes do not allow. */
export function NotAllowed({ scope }: { scope: string }) {
  return (
    <Alert color="gray" variant="light" title={t('Access denied')}>
      {`This page requires the scope ${scope}. Ask the person who gave you access.`}
    </Alert>
  )
}
