import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'

interface PageProps {
  /** Also the title of the browser tab. */
  readonly title: string
  /** The parent pages: `[['Webhooks', '/webhooks']]`. */
  readonly breadcrumbs?: readonly (readonly [label: string, to: string])[]
  /** Beside the title, such as a state. */
  readonly aside?: ReactNode
  /** One line below the title, such as the URL of a webhook. */
  readonly subtitle?: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({
  title,
  breadcrumbs = [],
  aside,
  subtitle,
  description,
  actions,
  children,
}: PageProps) {
  const { webhookId } = useSession()
  // With one webhook, there is no list of webhooks to return to.
  const parents = breadcrumbs.filter(([, to]) => webhookId === null || to !== '/webhooks')
  const heading = useTitleFocus()
  useDocumentTitle(`${title} · Posthorn`)
  return (
    <Stack gap="lg">
      <Stack gap={6} className="ph-header">
        {parents.length > 0 && (
          <Breadcrumbs component="nav" aria-label={t('Breadcrumbs')} fz="sm">
            {parents.map(([label, to]) => (
              <Anchor key={to} component={Link} to={to} size="sm" className="ph-crumb">
                {label}
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" gap="sm" align="center">
          <Group gap="sm" miw={0}>
            <Title order={1} ref={heading} tabIndex={-1} lineClamp={2} className="ph-title">
              {title}
            </Title>
            {aside}
          </Group>
          {actions && (
            <Group gap={8} className="ph-actions">
              {actions}
            </Group>
          )}
        </Group>
        {subtitle}
        {description && (
          <Text c="dimmed" size="sm" maw={720} component="div">
            {description}
          </Text>
        )}
      </Stack>
      {children}
    </Stack>
  )
}

let shownPath: string | null = null
let hasLeftFirstPage = false

/**
 * Moves the focus to the title of a new page, so that a screen reader announces the page, and on from the title above a
 * skeleton. The first page, and one whose first field has the focus, keep it.
 */
function useTitleFocus() {
  const title = useRef<HTMLHeadingElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    const isNew = shownPath !== pathname
    hasLeftFirstPage ||= isNew && shownPath !== null
    shownPath = pathname
    const { activeElement, body } = document
    const isTaken = isNew
      ? title.current?.closest('main')?.contains(activeElement)
      : activeElement !== body
    if (hasLeftFirstPage && !isTaken) title.current?.focus({ preventScroll: true })
  }, [pathname])
  return title
}
