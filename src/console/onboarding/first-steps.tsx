import { Button, Stack } from '@mantine/core'
import { Section } from '../components/page/section.tsx'
import { t } from '../language/t.ts'
import { mount } from '../mount.ts'
import { useApplicationSteps } from './application-steps.tsx'
import { useCustomerSteps } from './customer-steps.tsx'
import { StepItem, type Steps } from './step.tsx'

const useOwnSteps = mount.kind === 'portal' ? useCustomerSteps : useApplicationSteps

/** The way to a first delivery that the receiver verifies. Each step ticks itself. */
export function FirstSteps(given: Steps) {
  const steps = useOwnSteps(given)
  const count = steps.filter(({ done }) => done).length
  if (given.hidden || steps.length === 0) return null
  return (
    <Section
      title={t('First steps')}
      description={
        given.isDone
          ? t('Everything works. Your events reach your endpoint, signed.')
          : t('{count} of {total} steps done', { count, total: steps.length })
      }
      actions={
        <Button size="compact-sm" variant="subtle" onClick={given.hide}>
          {given.isDone ? t('Close') : t('Dismiss')}
        </Button>
      }
    >
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map((step) => (
          <StepItem key={step.title} {...step} />
        ))}
      </Stack>
    </Section>
  )
}
