import { messageOf, printTemplate } from './message.ts'
import type { Preset } from './preset.ts'

/** A webhook of a Discord channel, with an embed. An event can mention nobody. */
export const DISCORD: Preset = {
  target: 'discord',
  name: 'Discord',
  urlHint: 'https://discord.com/api/webhooks/…',
  template: (source) => {
    const { title, summary, fields, link } = messageOf(source)
    return printTemplate({
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title,
          description: [summary, link && `[${link.label}](${link.url})`]
            .filter(Boolean)
            .join('\n\n'),
          fields: fields.map(({ label, value }) => ({ name: label, value, inline: true })),
          timestamp: '{{ event.occurredAt }}',
        },
      ],
    })
  },
}
