import type { ReactNode } from 'react'
import { Trans } from 'react-i18next'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
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
    <Page title={title}>
      <EmptyState title={t('common:needsScope.title')}>
        <Trans
          ns="common"
          i18nKey="needsScope.text"
          values={{ scope }}
          components={{ code: <span className="ph-mono" /> }}
        />
      </EmptyState>
    </Page>
  )
}
