import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { Link } from 'react-router'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { useIsNarrow } from '../use-is-narrow.ts'
import { NarrowHeader } from './page-actions.tsx'
import { leaveTitleFocus, takeTitleFocus } from './title-focus.ts'

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

/** In a narrower header, there is room for one action. */
const NARROW_BELOW = 720

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
  const [header, isNarrow] = useIsNarrow<HTMLDivElement>(NARROW_BELOW)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => takeTitleFocus(heading.current), [])
  useLayoutEffect(() => {
    const { current } = heading
    return () => leaveTitleFocus(current)
  }, [])
  useEffect(() => {
    document.title = `${title} · Posthorn`
  }, [title])
  return (
    <Stack gap="lg">
      <Stack gap={6} ref={header} className="ph-header">
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
              <NarrowHeader value={isNarrow}>{actions}</NarrowHeader>
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
