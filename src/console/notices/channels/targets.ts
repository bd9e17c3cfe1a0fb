import type { TemplateTarget } from '../../generated/graphql.ts'

interface TargetWords {
  readonly name: string
  /** Where its URL is found. */
  readonly help: string
  /** What stands only in templates for it. */
  readonly mark: string
}

export const TARGETS: Readonly<Record<TemplateTarget, TargetWords>> = {
  SLACK: {
    name: 'Slack',
    help: 'In your Slack app, under Incoming Webhooks: add a webhook to a channel, and copy its URL.',
    mark: '"blocks"',
  },
  MICROSOFT_TEAMS: {
    name: 'Microsoft Teams',
    help: 'In the channel, under Workflows: choose “Send webhook alerts to a channel”, and copy the URL.',
    mark: 'application/vnd.microsoft.card.adaptive',
  },
  DISCORD: {
    name: 'Discord',
    help: 'In the settings of the channel, under Integrations: create a webhook, and copy its URL.',
    mark: '"embeds"',
  },
  GOOGLE_CHAT: {
    name: 'Google Chat',
    help: 'In the space, under Apps & integrations: add a webhook, and copy its URL.',
    mark: '"cardsV2"',
  },
  PAGERDUTY: {
    name: 'PagerDuty',
    help: 'In the service, under Integrations: add Events API v2, and copy the integration key.',
    mark: '"routing_key"',
  },
}

/** The target of a template, or null for one that a person wrote for something else. */
export function targetOf(template: string): TemplateTarget | null {
  const [found] = (Object.keys(TARGETS) as TemplateTarget[]).filter((target) =>
    template.includes(TARGETS[target].mark),
  )
  return found ?? null
}

/** An integration key of PagerDuty. */
export const isRoutingKey = (text: string) => /^[A-Za-z0-9]{32}$/.test(text)

/** The template with the key of a person, in place of the one that the preset has. */
export function withRoutingKey(template: string, key: string): string {
  return template.replace(/("routing_key":\s*)"[^"]*"/, (_, name) => `${name}"${key}"`)
}
