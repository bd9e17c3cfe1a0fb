import { Button, Modal, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { usePageQuery } from '../../api/page-query.ts'
import { List } from '../../components/lists/list.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { Section } from '../../components/page/section.tsx'
import type { NoticeChannelFragment } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { channelColumns, channelName } from './channel-columns.tsx'
import { ChannelDialog } from './channel-dialog.tsx'
import { channelsIn, channelsQuery, TYPE_OF_CHANNELS } from './channel-query.ts'
import { ChannelTest } from './channel-test.tsx'

/** The channels that get the notices of the organization: webhooks with the template of a target. */
export function ChannelSection() {
  const { can } = useSession()
  const { data, error, reload } = usePageQuery(channelsQuery)
  const [adding, setAdding] = useState(false)
  const [tested, setTested] = useState<NoticeChannelFragment | null>(null)
  const isPublished = data?.eventTypes?.some(({ name }) => name === TYPE_OF_CHANNELS) === true
  const mayAdd = can('webhooks:write') && (isPublished || can('admin'))
  const add = data && mayAdd && (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={14} />}
      onClick={() => setAdding(true)}
    >
      Send to a channel
    </Button>
  )
  const rows = data && channelsIn(data)
  return (
    <Section
      title="Channels"
      description="Notices in Slack, Microsoft Teams, Discord, Google Chat or PagerDuty, about the webhooks of this organization."
      actions={rows?.length ? add : undefined}
    >
      <List
        label="Channels"
        columns={channelColumns(can('deliveries:write') ? setTested : null)}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => `/webhooks/${id}`}
        error={error}
        reload={reload}
        empty={
          <EmptyState title="No channels" action={add}>
            {isPublished || can('admin')
              ? 'No channel hears of it when a webhook of this organization is in trouble.'
              : 'The operator of Posthorn has not switched operational events on, which channels need.'}
          </EmptyState>
        }
      />
      {data && (
        <ChannelDialog
          opened={adding}
          onClose={() => setAdding(false)}
          presets={data.templatePresets ?? []}
          isPublished={isPublished}
        />
      )}
      <Modal
        opened={tested !== null}
        onClose={() => setTested(null)}
        size="lg"
        title={<Text fw={650}>Send a test</Text>}
      >
        {tested && (
          <ChannelTest
            webhookId={tested.id}
            name={channelName(tested)}
            onClose={() => setTested(null)}
          />
        )}
      </Modal>
    </Section>
  )
}
