import { Menu, Modal, Skeleton, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconApi, IconBook, IconBraces, IconFileText, IconSparkles } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { hasDocs, hasGraphiql } from '../page-settings.ts'

const WhatsNew = lazy(() => import('./whats-new.tsx').then((m) => ({ default: m.WhatsNew })))

/** Whether *What is new* is open. It stays open when the menu closes. */
export const useWhatsNew = () => useDisclosure()

/** The entries of the account menu about Posthorn itself. */
export function AboutItems({ showWhatsNew }: { showWhatsNew(): void }) {
  return (
    <>
      <Menu.Label>{`Posthorn ${__VERSION__}`}</Menu.Label>
      <Menu.Item leftSection={<IconSparkles size={16} />} onClick={showWhatsNew}>
        What is new
      </Menu.Item>
      {hasDocs && (
        <Menu.Item leftSection={<IconBook size={16} />} component="a" href="/docs/" target="_blank">
          Documentation
        </Menu.Item>
      )}
      {hasGraphiql && (
        <Menu.Item
          leftSection={<IconApi size={16} />}
          component="a"
          href="/graphql"
          target="_blank"
        >
          GraphiQL
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconFileText size={16} />}
        component="a"
        href="/schema.graphql"
        target="_blank"
      >
        GraphQL schema
      </Menu.Item>
      <Menu.Item
        leftSection={<IconBraces size={16} />}
        component="a"
        href="/openapi.json"
        target="_blank"
      >
        REST API description
      </Menu.Item>
    </>
  )
}

export function WhatsNewDialog({ opened, close }: { opened: boolean; close(): void }) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="xl"
      title={<Text fw={600}>What is new ({`Posthorn ${__VERSION__}`})</Text>}
    >
      <Suspense fallback={<Skeleton h={320} />}>{opened && <WhatsNew />}</Suspense>
    </Modal>
  )
}

/** Set at build from package.json. */
declare const __VERSION__: string
