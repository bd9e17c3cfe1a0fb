import { builder } from '../graphql/builder.ts'
import { LARGE_TEXT } from '../graphql/limits/field-complexity.ts'
import { findPresetSources } from './find-preset-sources.ts'
import type { Preset, TemplateTarget } from './presets/preset.ts'
import { PRESETS } from './presets/presets.ts'

const TARGETS: Readonly<Record<TemplateTarget, string>> = {
  slack: 'A channel of Slack, by an incoming webhook.',
  microsoft_teams: 'A channel of Microsoft Teams, by a workflow.',
  discord: 'A channel of Discord, by a webhook.',
  google_chat: 'A space of Google Chat, by a webhook.',
  pagerduty: 'A service of PagerDuty, by the Events API v2.',
}

const TemplateTargetRef = builder.enumType('TemplateTarget', {
  description: 'Where the bodies of a template go.',
  values: Object.fromEntries(
    Object.entries(TARGETS).map(([value, description]) => [
      value.toUpperCase(),
      { value, description },
    ]),
  ) as Record<string, { value: TemplateTarget; description: string }>,
})

const TemplatePreset = builder.objectRef<Preset>('TemplatePreset').implement({
  description: 'Makes templates whose bodies a target accepts, whatever the data of the events.',
  fields: (t) => ({
    target: t.expose('target', {
      type: TemplateTargetRef,
      description: 'The program that gets the bodies.',
    }),
    name: t.exposeString('name', { description: 'The name of the target.' }),
    urlHint: t.exposeString('urlHint', {
      description: 'How the URL of a webhook looks for this target.',
    }),
    template: t.string({
      description:
        'A template that shows fields of the example and the schema of an event type: at most eight. One for an operational event type is for all of them. In that for PagerDuty, replace the routing key.',
      complexity: LARGE_TEXT,
      args: {
        eventType: t.arg.string({
          required: true,
          description: 'The name of an event type that is not archived.',
        }),
      },
      resolve: async ({ template }, { eventType }, { prisma, publicUrl, perField }, info) => {
        const find = perField(info, (names: string[]) => findPresetSources(prisma, names))
        return template({ ...(await find(eventType)), hasLinks: publicUrl !== null })
      },
    }),
  }),
})

builder.queryField('templatePresets', (t) =>
  t.field({
    type: [TemplatePreset],
    semanticNonNull: true,
    description:
      'Presets of templates: one for each target. A list and no connection, because it is short.',
    authScopes: { scope: 'webhooks:read' },
    portal: 'open',
    resolve: () => [...PRESETS],
  }),
)
