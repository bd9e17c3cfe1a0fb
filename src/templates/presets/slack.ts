import { messageOf, printTemplate } from './message.ts'
import type { Preset } from './preset.ts'

/**
 * An incoming webhook of Slack, with Block Kit. Values of the event stand in `plain_text`, in which Slack reads no markup,
 * so that no event can mention a channel or hide a link.
 */
export const SLACK: Preset = {
  target: 'slack',
  name: 'Slack',
  urlHint: 'https://hooks.slack.com/services/…',
  template: (source) => {
    const { title, summary, fields, link } = messageOf(source)
    return printTemplate({
      // What notifications show. The type has no markup.
      text: '{{ event.type | truncate(140) }}',
      blocks: [
        { type: 'header', text: plainText(title) },
        ...(summary === null ? [] : [{ type: 'section', text: plainText(summary) }]),
        ...(fields.length === 0
          ? []
          : [
              {
                type: 'section',
                fields: fields.map(({ label, value }) => plainText(`${label}\n${value}`)),
              },
            ]),
        ...(link
          ? [
              {
                type: 'context',
                elements: [{ type: 'mrkdwn', text: `<${link.url}|${link.label}>` }],
              },
            ]
          : []),
      ],
    })
  },
}

function plainText(text: string) {
  return { type: 'plain_text', text, emoji: false }
}
