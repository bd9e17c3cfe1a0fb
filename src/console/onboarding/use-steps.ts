import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { pageQuery } from '../api/page-query.ts'
import { resumeAfterAttempt } from '../api/resume-point.ts'
import { useLive } from '../api/use-live.ts'
import { useRead } from '../api/use-read.ts'
import { OnboardingAttemptRecordedDocument, OnboardingStepsDocument } from '../generated/graphql.ts'
import { readStored, store } from '../lib/storage.ts'
import { type Session, useSession } from '../session/session.tsx'

const keyOf = (organizationId: string) => `posthorn.first-steps-done.${organizationId}`

/** The first steps are for those who can take them, until the server knows that they are done. */
const areOver = ({ can, viewer, webhookId }: Session) =>
  webhookId !== null ||
  !can('webhooks:write') ||
  readStored('local', keyOf(viewer.organization.id)) === 'yes'

export const stepsQuery = pageQuery(
  OnboardingStepsDocument,
  ({ session }) => (areOver(session) ? null : {}),
  ['Webhook', 'Delivery', 'Event'],
)

/** What a new organization has done so far. Follows attempts and the return to the window, and asks nothing once it is over. */
export function useSteps() {
  const session = useSession()
  const organizationId = session.viewer.organization.id
  const [isDismissed, setDismissed] = useState(() => areOver(session))
  const { data, error, reload } = useRead(
    stepsQuery.query,
    {},
    {
      context: stepsQuery.context,
      pause: isDismissed,
    },
  )
  const done = data?.firstSteps
  const isDone = done?.eventDelivered === true
  const isOpen = done !== undefined && !isDone
  const rest = !isOpen || isDismissed

  useLive(
    OnboardingAttemptRecordedDocument,
    {},
    {
      paused: rest || !session.can('deliveries:read'),
      itemOf: resumeAfterAttempt,
      onData({ attemptRecorded }) {
        // The failures of a busy organization change nothing.
        if (attemptRecorded?.succeeded || !done?.eventPublished) reload()
      },
      onMissed: reload,
    },
  )
  useWindowEvent('focus', () => {
    if (!rest) reload()
  })
  useEffect(() => {
    // Who saw the steps open in this tab also sees that they are done.
    if (isOpen) store('session', keyOf(organizationId), 'open')
    if (isDone) store('local', keyOf(organizationId), 'yes')
  }, [isOpen, isDone, organizationId])

  return {
    data,
    error,
    isDone,
    hidden: isDismissed || (isDone && readStored('session', keyOf(organizationId)) !== 'open'),
    reload,
    hide() {
      store('local', keyOf(organizationId), 'yes')
      setDismissed(true)
    },
  }
}
